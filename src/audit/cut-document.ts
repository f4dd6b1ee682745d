import type { SkippedItem } from '../indexing/ledger.js';
import type { ChunkColumns } from '../model/chunk.js';
import {
  BLOCK_KIND_NAMES,
  type BlockKindName,
  type Document,
  type DocumentFormat,
} from '../model/document.js';
import { textAt } from '../model/text-column.js';

/** A document as it is cut. */
export interface CutDocument {
  id: string;
  title: string;
  format: DocumentFormat;
  chunks: CutChunk[];
}

export interface CutChunk {
  /** UTF-16 positions in the document's text. */
  start: number;
  end: number;
  startLine: number;
  endLine: number;
  /** 0 for documents without pages. */
  page: number;
  tokens: number;
  overLimit: boolean;
  kind: BlockKindName;
  headingPath: string;
  text: string;
  /** The first so many UTF-16 units of the text are the end of the chunk before, too. */
  overlap: number;
  /** What models read before the text. */
  prefix: string;
  /** What answers for it, where chunks are children of larger ones. */
  parent?: { start: number; end: number };
}

/** A worker's answer. */
export interface CutBatch {
  documents: CutDocument[];
  skipped: SkippedItem[];
  limitTokens: number;
  /** Fingerprint of the chunker. */
  chunker: string;
}

/** @param hasParents searches would answer with the parents of these chunks */
export function describeCut(
  { id, title, format, text }: Document,
  chunks: ChunkColumns,
  hasParents: boolean,
): CutDocument {
  return {
    id,
    title,
    format,
    chunks: Array.from(chunks.start, (start, row) => {
      const end = chunks.end[row]!;
      const read = textAt(chunks.embeddingText, row);
      const before = row === 0 ? start : chunks.end[row - 1]!;
      return {
        start,
        end,
        startLine: chunks.startLine[row]!,
        endLine: chunks.endLine[row]!,
        page: chunks.page[row]!,
        tokens: chunks.tokens[row]!,
        overLimit: chunks.overLimit[row] === 1,
        kind: BLOCK_KIND_NAMES[chunks.kind[row]!]!,
        headingPath: chunks.headingPath[row]!,
        text: text.slice(start, end),
        overlap: Math.min(Math.max(0, before - start), end - start),
        prefix: read.slice(0, Math.max(0, read.length - (end - start))),
        ...(hasParents && { parent: { start: chunks.parentStart[row]!, end: chunks.parentEnd[row]! } }),
      };
    }),
  };
}
