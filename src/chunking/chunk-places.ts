/** Where a chunk may lie: rules for the chunks of any chunker, which a caller's are held to and an audit counts. */

import type { ChunkColumns } from '../model/chunk.js';
import { BLOCK_KIND_NAMES, type Document } from '../model/document.js';
import { splitsSurrogates } from './audit-graphemes.js';
import { trimEnd } from './white.js';

export interface PlaceTrouble {
  readonly rule: 'range' | 'empty' | 'surrogate';
  /** What is wrong with the chunk, to be read after its name. */
  readonly found: string;
}

/** Everything that is wrong with where a chunk lies; of what is out of range, the first. */
export function placeTroubles(document: Document, chunks: ChunkColumns, row: number): PlaceTrouble[] {
  const { text } = document;
  const [start, end] = [chunks.start[row]!, chunks.end[row]!];
  const troubles: PlaceTrouble[] = [];
  const note = (rule: PlaceTrouble['rule'], found: string | undefined) => {
    if (found !== undefined) troubles.push({ rule, found });
  };
  const isSpan = start < end && end <= text.length;
  if (isSpan && trimEnd(text, start, end) <= start) note('empty', `[${start}, ${end}) holds no text`);
  note('range', rangeTrouble(document, chunks, row));
  if (isSpan)
    for (const at of [start, end])
      if (splitsSurrogates(text, at)) note('surrogate', `[${start}, ${end}) cuts a surrogate pair at ${at}`);
  return troubles;
}

function rangeTrouble({ text }: Document, chunks: ChunkColumns, row: number): string | undefined {
  const [start, end] = [chunks.start[row]!, chunks.end[row]!];
  const span = `[${start}, ${end})`;
  if (end > text.length) return `${span} ends behind the text, which is ${text.length} long`;
  if (start >= end) return `${span} holds no text`;
  if (row > 0 && start <= chunks.start[row - 1]!) return `${span} does not begin behind the one before`;
  const [from, to] = [chunks.parentStart[row]!, chunks.parentEnd[row]!];
  if (from > start || to < end) return `${span} lies outside of its parent, [${from}, ${to})`;
  if (to > text.length) return `has a parent that ends behind the text, at ${to}`;
  const [first, last] = [chunks.startLine[row]!, chunks.endLine[row]!];
  if (first < 1 || last < first) return `goes from line ${first} to ${last}`;
  if (row > 0 && chunks.page[row]! < chunks.page[row - 1]!)
    return `is on page ${chunks.page[row]}, after page ${chunks.page[row - 1]}`;
  if (chunks.kind[row]! >= BLOCK_KIND_NAMES.length)
    return `has the kind ${chunks.kind[row]}, which there is not`;
  return undefined;
}
