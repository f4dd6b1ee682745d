import { BLOCK_KIND_NAMES, type BlockKindName, type DocumentFormat } from '../../model/document.js';
import { type DocumentRecord, EMBEDDING_HASH_BYTES } from '../../model/document-record.js';
import type { EmbeddingMatrix } from '../../model/embedder.js';
import { packTexts } from '../../model/text-column.js';
import type { ExchangeChunk, ExchangeDocument } from './exchange.js';

/** Makes what a commit takes of a document that comes out of an export. Throws a plain Error that says what is wrong. */
export function toRecord(
  document: ExchangeDocument,
  dims: number,
): { record: DocumentRecord; vectors: EmbeddingMatrix } {
  checkDocument(document);
  const { id, source, title, metadata, contentHash, text, chunks } = document;
  for (const [i, chunk] of chunks.entries()) checkChunk(chunk, i, text, dims);
  const numbers = (key: 'start' | 'end' | 'tokens' | 'startLine' | 'endLine') =>
    Uint32Array.from(chunks, (chunk) => chunk[key]);
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
        page: new Uint32Array(chunks.length),
        parentStart: numbers('start'),
        parentEnd: numbers('end'),
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

function checkDocument(document: ExchangeDocument): void {
  for (const key of ['id', 'source', 'title', 'format', 'contentHash', 'text'] as const) {
    if (typeof document[key] !== 'string') throw new Error(`the document's ${key} is no string`);
    // UTF-8 has none of them, and offsets into the text would move with what stands for them there.
    if (!document[key].isWellFormed()) throw new Error(`the document's ${key} holds a lone surrogate`);
  }
  const { metadata } = document;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new Error("the document's metadata are no object");
}

function checkChunk(chunk: ExchangeChunk, index: number, text: string, dims: number): void {
  const fail = (problem: string) => new Error(`chunk ${index} ${problem}`);
  const { start, end, vector, embeddingHash } = chunk;
  for (const key of ['start', 'end', 'startLine', 'endLine', 'tokens'] as const) {
    if (!Number.isInteger(chunk[key]) || chunk[key] < 0 || chunk[key] > 0xffff_ffff)
      throw fail(`has ${key} ${chunk[key]}`);
  }
  if (start > end || end > text.length) throw fail(`spans ${start} to ${end} of ${text.length} units`);
  if (!BLOCK_KIND_NAMES.includes(chunk.kind as BlockKindName)) throw fail(`has the kind '${chunk.kind}'`);
  for (const key of ['headingPath', 'keywords'] as const) {
    if (typeof chunk[key] !== 'string') throw fail(`has no ${key}`);
  }
  if (vector.length !== dims) throw fail(`has a vector of ${vector.length} numbers instead of ${dims}`);
  if (embeddingHash !== null && embeddingHash?.length !== 2 * EMBEDDING_HASH_BYTES)
    throw fail('has no whole embedding hash');
}
