import { BLOCK_KIND_NAMES, type BlockKindName, type DocumentFormat } from '../../model/document.js';
import type { DocumentRecord } from '../../model/document-record.js';
import type { EmbeddingMatrix } from '../../model/embedder.js';
import { packTexts } from '../../model/text-column.js';
import type { ExchangeChunk, ExchangeDocument } from './exchange.js';

/** Makes what a commit takes of a document that was checked as it came out of an export. */
export function toRecord(
  document: ExchangeDocument,
  dims: number,
): { record: DocumentRecord; vectors: EmbeddingMatrix } {
  const { id, source, title, metadata, contentHash, text, chunks } = document;
  const numbers = (
    key: 'start' | 'end' | 'tokens' | 'startLine' | 'endLine' | 'page' | 'parentStart' | 'parentEnd',
  ) => Uint32Array.from(chunks, (chunk) => chunk[key]);
  const data = new Float32Array(chunks.length * dims);
  for (const [i, { vector }] of chunks.entries()) data.set(vector, i * dims);
  return {
    record: {
      id,
      source,
      title,
      format: document.format as DocumentFormat,
      metadata,
      contentHash,
      text: new TextEncoder().encode(text),
      chunks: {
        start: numbers('start'),
        end: numbers('end'),
        tokens: numbers('tokens'),
        startLine: numbers('startLine'),
        endLine: numbers('endLine'),
        page: numbers('page'),
        parentStart: numbers('parentStart'),
        parentEnd: numbers('parentEnd'),
        kind: Uint8Array.from(chunks, ({ kind }) => BLOCK_KIND_NAMES.indexOf(kind as BlockKindName)),
        headingPath: chunks.map(({ headingPath }) => headingPath),
        overLimit: Uint8Array.from(chunks, ({ overLimit }) => (overLimit ? 1 : 0)),
        embeddingText: packTexts([]),
      },
      keywordText: packTexts(
        chunks.map(({ keywords, keywordsOnly, start, end }) =>
          keywordsOnly ? keywords : keywords + text.slice(start, end),
        ),
      ),
      embeddingHashes: hashesOf(chunks),
    },
    vectors: { rows: chunks.length, dims, data },
  };
}

/** All or none: a document whose hashes are not all known has none. */
function hashesOf(chunks: readonly ExchangeChunk[]): Uint8Array | null {
  if (chunks.some(({ embeddingHash }) => embeddingHash === null)) return null;
  return new Uint8Array(Buffer.from(chunks.map(({ embeddingHash }) => embeddingHash).join(''), 'hex'));
}
