/** Which text of a document becomes chunks: all of it but the front matter. */

import { BlockKind, type Document } from '../model/document.js';
import { trimEnd } from './white.js';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The text to cut, in order. Front matter is left out on purpose: it was read into title and metadata, and as prose
 * it would only blur a chunk. Where it is the only text of the document, it is cut like any other.
 */
export function chunkedSpans(document: Document): Span[] {
  const { blocks, text } = document;
  const spans: Span[] = [];
  let at = 0;
  for (let row = 0; row < blocks.start.length; row++) {
    if (blocks.kind[row] !== BlockKind.frontMatter) continue;
    spans.push({ start: at, end: blocks.start[row]! });
    at = blocks.end[row]!;
  }
  spans.push({ start: at, end: text.length });
  const solid = spans.filter((span) => trimEnd(text, span.start, span.end) > span.start);
  return solid.length > 0 || trimEnd(text, 0, text.length) === 0 ? solid : [{ start: 0, end: text.length }];
}
