import type { RawLines } from '../model/document.js';

/** Collects where the pieces of a text come from in the raw file: see RawLines. Positions and calls must ascend. */
export class RawLineMap {
  readonly #at: number[] = [];
  readonly #line: number[] = [];
  readonly #follows: number[] = [];
  /** Raw line at which a text that goes on line by line would be. */
  #expected = -1;

  /**
   * Says that the text from `at` on comes from the raw line `line` (1-based). `lineEnds` are the line ends from there
   * up to the next call's position; `follows` says that each of them is one of the file. Joins what goes on.
   */
  add(at: number, line: number, lineEnds: number, follows: boolean): void {
    const last = this.#follows.length - 1;
    const goesOn = follows
      ? line === this.#expected
      : last >= 0 && this.#follows[last] === 0 && this.#line[last] === line;
    if (!goesOn) {
      if (last >= 0 && this.#at[last] === at) {
        this.#at.pop();
        this.#line.pop();
        this.#follows.pop();
      }
      // Spans begin with 0. Line ends before the first piece are not of the file.
      if (this.#at.length === 0 && at > 0) this.#push(0, line, false);
      this.#push(at, line, follows);
    }
    this.#expected = follows ? line + lineEnds : -1;
  }

  #push(at: number, line: number, follows: boolean): void {
    this.#at.push(at);
    this.#line.push(line);
    this.#follows.push(follows ? 1 : 0);
  }

  /** Text comes next that has no line of its own in the file, such as a blank line between blocks. */
  break(): void {
    this.#expected = -1;
  }

  /** Undefined if nothing was said. */
  build(): RawLines | undefined {
    if (this.#at.length === 0) return undefined;
    return {
      at: Uint32Array.from(this.#at),
      line: Uint32Array.from(this.#line),
      follows: Uint8Array.from(this.#follows),
    };
  }
}
