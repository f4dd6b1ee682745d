import type { BlockColumns, BlockKind, SectionColumns } from '../model/document.js';
import { BlockKind as Kind } from '../model/document.js';

/** Longest heading kept, in UTF-16 units: a paragraph over a line of dashes is a heading too, by the rules. */
const MAX_HEADING_LENGTH = 256;

/**
 * Collects headings and blocks in document order and makes the columns of a Document. Positions must ascend: that is
 * the reader's duty, and `build` does not sort.
 */
export class Outline {
  readonly #start = [0];
  readonly #end = [0];
  readonly #level = [0];
  readonly #parent = [-1];
  readonly #heading = [''];
  /** Indexes of the sections that are open, outermost first. */
  readonly #open = [0];
  readonly #blockStart: number[] = [];
  readonly #blockEnd: number[] = [];
  readonly #blockKind: number[] = [];
  readonly #blockSection: number[] = [];

  /**
   * Opens a section at `start` and adds its heading block `[start, end)`.
   * @param level 1 to 6; anything else is moved into that range
   */
  heading(start: number, end: number, level: number, text: string): void {
    const depth = Math.min(6, Math.max(1, level));
    while (this.#level[this.#open.at(-1)!]! >= depth) this.#end[this.#open.pop()!] = start;
    this.#start.push(start);
    this.#end.push(-1);
    this.#level.push(depth);
    this.#parent.push(this.#open.at(-1)!);
    this.#heading.push(shorten(text));
    this.#open.push(this.#start.length - 1);
    this.block(start, end, Kind.heading);
  }

  /** Adds a block to the innermost open section; an empty one is left out. */
  block(start: number, end: number, kind: BlockKind): void {
    if (end <= start) return;
    this.#blockStart.push(start);
    this.#blockEnd.push(end);
    this.#blockKind.push(kind);
    this.#blockSection.push(this.#open.at(-1)!);
  }

  /** Makes the last block longer, up to `end`. */
  extendLast(end: number): void {
    this.#blockEnd[this.#blockEnd.length - 1] = end;
  }

  /** First heading of the wanted level that holds text, or of any level. */
  firstHeading(level?: number): string | undefined {
    const found = this.#heading.findIndex(
      (text, i) => i > 0 && text !== '' && (level === undefined || this.#level[i] === level),
    );
    return found < 0 ? undefined : this.#heading[found];
  }

  /** @param length length of the whole text in UTF-16 units */
  build(length: number): { sections: SectionColumns; blocks: BlockColumns } {
    for (const section of this.#open) this.#end[section] = length;
    return {
      sections: {
        start: Uint32Array.from(this.#start),
        end: Uint32Array.from(this.#end),
        level: Uint8Array.from(this.#level),
        parent: Int32Array.from(this.#parent),
        heading: this.#heading,
      },
      blocks: {
        start: Uint32Array.from(this.#blockStart),
        end: Uint32Array.from(this.#blockEnd),
        kind: Uint8Array.from(this.#blockKind),
        section: Uint32Array.from(this.#blockSection),
      },
    };
  }
}

/** One line, and never half a surrogate pair at its end. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_HEADING_LENGTH) return line;
  const last = line.charCodeAt(MAX_HEADING_LENGTH - 1);
  return line.slice(0, last >= 0xd800 && last < 0xdc00 ? MAX_HEADING_LENGTH - 1 : MAX_HEADING_LENGTH);
}
