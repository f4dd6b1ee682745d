import type { SkippedItem } from '../indexing/ledger.js';
import type { DocumentAudit } from './document-audit.js';

/** Chunk sizes are counted in steps of a hundredth of the limit; the last step is what is over it. */
export const SIZE_STEPS = 101;

/** What a worker says of one portion; all buffers are transferred. */
export interface AuditBatch {
  documents: DocumentAudit[];
  skipped: SkippedItem[];
  /** Files that are through. */
  files: number;
  failedFiles: number;
  bytes: number;
  limitTokens: number;
  /** Chunks by size: see SIZE_STEPS. */
  sizes: Uint32Array;
  /** 0 where there is no chunk. */
  smallestTokens: number;
  largestTokens: number;
  /** A hash of each chunk's text, and the line where it begins; the chunks of all documents one after another. */
  textHashes: BigUint64Array;
  startLines: Uint32Array;
}

/** The step that a chunk of so many tokens is counted in. */
export function sizeStep(tokens: number, limitTokens: number): number {
  if (tokens > limitTokens) return SIZE_STEPS - 1;
  return Math.max(0, Math.ceil((tokens * (SIZE_STEPS - 1)) / limitTokens) - 1);
}
