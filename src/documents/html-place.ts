/**
 * Where the text of a block comes from: what begins at `at` (UTF-16 units from the block's start) comes from the raw
 * line `line`; its line ends are those of the file if `follows`, as in `<pre>`, else all of it lies in that line.
 */
export interface HtmlPlace {
  readonly at: number;
  readonly line: number;
  readonly follows?: boolean;
}

/** The raw line of each position that is asked for, in ascending order: a walk over the source, not a search. */
export class RawLineCursor {
  #at = 0;
  #line = 1;

  constructor(readonly source: string) {}

  /** 1-based; a position before the one asked for last has the line of that. */
  lineAt(position: number): number {
    const { source } = this;
    const end = Math.min(position, source.length);
    for (; this.#at < end; this.#at++) {
      const code = source.charCodeAt(this.#at);
      if (code === 10 || (code === 13 && source.charCodeAt(this.#at + 1) !== 10)) this.#line++;
    }
    return this.#line;
  }
}

/** The places in a text to which `added` units were given at its start, and from which `from` units were cut off. */
export function shiftPlaces(places: readonly HtmlPlace[], from: number, added: number): HtmlPlace[] {
  const shifted: HtmlPlace[] = [];
  for (const place of places) {
    const at = Math.max(0, place.at - from) + added;
    // Of places that were cut off, the last one says where the rest begins.
    if (shifted.at(-1)?.at === at) shifted.pop();
    shifted.push({ ...place, at });
  }
  return shifted;
}
