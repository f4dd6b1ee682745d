/** Was anything lost? Answers for one document and its chunks; the pipeline's ledger and the tests ask. */

import type { ChunkColumns } from '../model/chunk.js';
import type { Document } from '../model/document.js';
import { chunkedSpans, type Span } from './scope.js';
import { skipWhite, trimEnd } from './white.js';

export interface CoverageAudit {
  /** Spans with text that no chunk holds, front matter left out. Empty, or it is a bug. */
  readonly uncovered: readonly Span[];
  /** Chunks that no cut could bring under the limit. */
  readonly overLimit: number;
  /** Tokens of the longest chunk; 0 if there is none. */
  readonly maxTokens: number;
}

export function auditCoverage(document: Document, chunks: ChunkColumns): CoverageAudit {
  const { text } = document;
  const uncovered: Span[] = [];
  const note = (from: number, to: number) => {
    const start = skipWhite(text, from, to);
    if (start < to) uncovered.push({ start, end: trimEnd(text, start, to) });
  };
  let row = 0;
  let at = 0;
  for (const span of chunkedSpans(document)) {
    // A chunk may go on behind front matter.
    at = Math.max(at, span.start);
    for (; row < chunks.start.length && chunks.start[row]! < span.end; row++) {
      if (chunks.start[row]! > at) note(at, chunks.start[row]!);
      at = Math.max(at, chunks.end[row]!);
    }
    if (at < span.end) note(at, span.end);
  }
  return {
    uncovered,
    overLimit: chunks.overLimit.reduce((sum, flag) => sum + flag, 0),
    maxTokens: chunks.tokens.reduce((most, tokens) => Math.max(most, tokens), 0),
  };
}
