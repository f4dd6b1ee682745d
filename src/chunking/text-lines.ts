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

/**
 * Lines of paragraphs, lists and headings that are not blank. Kept as columns, twelve bytes a line: a file may hold tens
 * of millions.
 */
export class TextLines {
  readonly length: number;
  readonly #document: Document;
  readonly #start: Uint32Array;
  readonly #end: Uint32Array;
  readonly #block: Uint32Array;

  constructor(document: Document) {
    this.#document = document;
    let count = 0;
    eachLine(document, () => count++);
    this.length = count;
    this.#start = new Uint32Array(count);
    this.#end = new Uint32Array(count);
    this.#block = new Uint32Array(count);
    let row = 0;
    eachLine(document, (start, end, block) => {
      this.#start[row] = start;
      this.#end[row] = end;
      this.#block[row++] = block;
    });
  }

  /** `start` is where the line begins, or its block; `end` is behind its last character that is not white. */
  at(row: number): TextLine | undefined {
    if (row < 0 || row >= this.length) return undefined;
    const { text, blocks } = this.#document;
    const [start, end, block] = [this.#start[row]!, this.#end[row]!, this.#block[row]!];
    const solid = skipWhite(text, start, end);
    const shown = Math.min(end, solid + MAX_LINE_CHARS);
    return {
      start,
      end,
      text: text.slice(solid, shown).trimEnd(),
      indent: solid - start,
      isWhole: shown === end,
      kind: blocks.kind[block] as BlockKind,
      block,
      isFirst: start === blocks.start[block],
      section: blocks.section[block]!,
    };
  }
}

function eachLine(
  { text, blocks }: Document,
  use: (start: number, end: number, block: number) => void,
): void {
  for (let block = 0; block < blocks.start.length; block++) {
    const kind = blocks.kind[block] as BlockKind;
    if (kind !== BlockKind.prose && kind !== BlockKind.list && kind !== BlockKind.heading) continue;
    const end = blocks.end[block]!;
    for (let at = blocks.start[block]!; at < end; ) {
      const next = nextLine(text, at, end);
      const stop = trimEnd(text, at, next);
      if (stop > at) use(at, stop, block);
      at = next;
    }
  }
}
