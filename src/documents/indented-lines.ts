import { LineTable } from './lines.js';

const TAB = 9;
const SPACE = 32;
/** Columns between tab stops, as docutils has them. */
const TAB_COLUMNS = 8;

/** Lines with the column in which each begins, for markup whose structure is its indentation. */
export class IndentedLines extends LineTable {
  /** Column of the first character that is not white space; -1 for a blank line. */
  readonly indent: Int32Array;

  constructor(text: string) {
    super(text);
    this.indent = new Int32Array(this.count);
    for (let line = 0; line < this.count; line++) this.indent[line] = this.#indentOf(line);
  }

  /** Line i without the white space around it. */
  content(line: number): string {
    return this.line(line).trim();
  }

  /** End of the run of lines from `line` on that begin at `column` or right of it, blank ones between them included. */
  indentedEnd(line: number, to: number, column: number): number {
    let end = line;
    for (let at = line; at < to; at++) {
      const own = this.indent[at]!;
      if (own < 0) continue;
      if (own < column) break;
      end = at + 1;
    }
    return end;
  }

  /** Column of the leftmost of the lines [from, to) that are not blank. */
  leastIndent(from: number, to: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let line = from; line < to; line++) {
      const own = this.indent[line]!;
      if (own >= 0 && own < least) least = own;
    }
    return least;
  }

  /** First line from `line` on that is blank or left or right of the column, `to` if there is none. */
  levelEnd(line: number, to: number, column: number): number {
    let end = line;
    while (end < to && this.indent[end] === column) end++;
    return end;
  }

  #indentOf(line: number): number {
    if (this.isBlank(line)) return -1;
    let column = 0;
    for (let at = this.start(line); ; at++) {
      const code = this.text.charCodeAt(at);
      if (code === SPACE) column++;
      else if (code === TAB) column += TAB_COLUMNS - (column % TAB_COLUMNS);
      else return column;
    }
  }
}
