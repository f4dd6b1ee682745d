import { countUpTo } from '../model/sorted.js';

const LF = 10;
const CR = 13;

/**
 * Lines of a text by UTF-16 positions. LF, CRLF and a lone CR each end a line; a terminator at the very end starts no
 * further line, so 'a\n' has one line and '' has none.
 */
export class LineTable {
  /** `count + 1` positions: where each line starts, then the length of the text. */
  readonly starts: Uint32Array;
  readonly count: number;

  constructor(readonly text: string) {
    this.starts = text.includes('\r') ? anyLineStarts(text) : lineFeedStarts(text);
    this.count = this.starts.length - 1;
  }

  /** Where line i starts; the length of the text from the line after the last one on. */
  start(line: number): number {
    return this.starts[Math.min(line, this.count)]!;
  }

  /** The line that holds the position; the last one for positions behind the text. */
  lineAt(position: number): number {
    // The last start is that of no line, but the end of the text.
    return Math.max(0, Math.min(this.count, countUpTo(this.starts, position)) - 1);
  }

  /** End of line i without its terminator. */
  contentEnd(line: number): number {
    let end = this.starts[line + 1]!;
    const start = this.starts[line]!;
    if (end > start && this.text.charCodeAt(end - 1) === LF) end--;
    if (end > start && this.text.charCodeAt(end - 1) === CR) end--;
    return end;
  }

  /** Line i without its terminator. */
  line(line: number): string {
    return this.text.slice(this.starts[line]!, this.contentEnd(line));
  }

  isBlank(line: number): boolean {
    const code = this.text.charCodeAt(this.starts[line]!);
    if (code > 32 && code < 128) return false;
    return this.line(line).trim() === '';
  }

  /** End position of the lines [from, to) without blank lines at their end; never before the end of line `from`. */
  trimmedEnd(from: number, to: number): number {
    let last = to - 1;
    while (last > from && this.isBlank(last)) last--;
    return this.contentEnd(last);
  }
}

/** A growing list of numbers. */
class Starts {
  #items = new Uint32Array(64);
  #count = 0;

  push(start: number): void {
    if (this.#count === this.#items.length) {
      const grown = new Uint32Array(this.#count * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.#count++] = start;
  }

  /** With the length of the text at the end, unless a line would start there. */
  close(length: number): Uint32Array {
    if (this.#items[this.#count - 1] !== length) this.push(length);
    return this.#items.slice(0, this.#count);
  }
}

function anyLineStarts(text: string): Uint32Array {
  const starts = new Starts();
  starts.push(0);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > CR || (code !== LF && code !== CR)) continue;
    if (code === CR && text.charCodeAt(at + 1) === LF) at++;
    starts.push(at + 1);
  }
  return starts.close(text.length);
}

/** Twice as fast as looking at each character: searching for one is the engine's own work. */
function lineFeedStarts(text: string): Uint32Array {
  const starts = new Starts();
  starts.push(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts.close(text.length);
}

/** Calls back with each run of lines [from, to) that are not blank, within [first, end). */
export function eachParagraph(
  lines: LineTable,
  first: number,
  end: number,
  visit: (from: number, to: number) => void,
): void {
  let from = -1;
  for (let line = first; line < end; line++) {
    if (!lines.isBlank(line)) {
      if (from < 0) from = line;
    } else if (from >= 0) {
      visit(from, line);
      from = -1;
    }
  }
  if (from >= 0) visit(from, end);
}
