/** Spans that a caller has cut → the columns of their chunks. */

import type { ChunkColumns } from '../model/chunk.js';
import type { ChunkerContext, ChunkSpan, ResolvedChunkOptions } from '../model/chunker.js';
import type { Document } from '../model/document.js';
import { toColumns } from './columns.js';
import { findFreeBorders } from './free-borders.js';
import { Meter } from './meter.js';
import { Prefixes } from './prefix.js';
import { sectionAt } from './sections.js';

/** What a chunker of the caller is made with. */
export function chunkerContext(options: ResolvedChunkOptions): ChunkerContext {
  const { tokenizer, limitTokens, overlapTokens } = options;
  const borders = findFreeBorders(tokenizer);
  return {
    tokenizer,
    limitTokens,
    overlapTokens,
    columns: (document, spans) => {
      const { text } = document;
      const meter = Meter.over(text, 0, text.length, tokenizer, limitTokens, borders);
      return columnsOf(document, spans, meter);
    },
  };
}

function columnsOf(document: Document, spans: readonly ChunkSpan[], meter: Meter): ChunkColumns {
  const prefixes = new Prefixes(document, meter);
  const pieces = spans.map(({ start, end, parent }) => {
    const section = sectionAt(document.sections, start);
    const lead = prefixes.leadAt(section, start);
    const tokens = meter.measure(lead, start, end);
    const overLimit = tokens > meter.limitTokens;
    return { start, end, lead: lead.text, tokens, overLimit, section, ...(parent && { parent }) };
  });
  return toColumns(document, pieces, (piece) => prefixes.headingPath(piece));
}
