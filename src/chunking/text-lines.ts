/** The lines of a document's running text, for those who look for marks in it. */

import { BlockKind, type Document } from '../model/document.js';
import type { Span } from './scope.js';
import { nextLine, skipWhite, trimEnd } from './white.js';

export interface TextLine extends Span {
  /** The beginning of the line, white space at both ends left out. */
  readonly text: string;
  /** White space before `text`. */
  readonly indent: number;
  /** Whether all of the line is in `text`. */
  readonly isWhole: boolean;
  readonly kind: BlockKind;
  /** Index of its block. */
  readonly block: number;
  readonly isFirst: boolean;
  /** The reader's section. */
  readonly section: number;
}

/** No mark is longer, and no line is looked through further. */
const MAX_LINE_CHARS = 400;

/** Lines of paragraphs, lists and headings that are not blank; `end` is behind the last character that is not white. */
export function textLines(document: Document): TextLine[] {
  const { text, blocks } = document;
  const lines: TextLine[] = [];
  for (let block = 0; block < blocks.start.length; block++) {
    const kind = blocks.kind[block] as BlockKind;
    if (kind !== BlockKind.prose && kind !== BlockKind.list && kind !== BlockKind.heading) continue;
    const [start, end] = [blocks.start[block]!, blocks.end[block]!];
    for (let at = start; at < end; ) {
      const next = nextLine(text, at, end);
      const stop = trimEnd(text, at, next);
      if (stop > at) {
        const solid = skipWhite(text, at, stop);
        const shown = Math.min(stop, solid + MAX_LINE_CHARS);
        lines.push({
          start: at,
          end: stop,
          text: text.slice(solid, shown).trimEnd(),
          indent: solid - at,
          isWhole: shown === stop,
          kind,
          block,
          isFirst: at === start,
          section: blocks.section[block]!,
        });
      }
      at = next;
    }
  }
  return lines;
}
