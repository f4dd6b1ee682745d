const QUOTE = 34;
const LF = 10;
const CR = 13;

/** Where a quote opens that is never closed, where its row begins, and the 1-based line of that. */
export interface BrokenQuote {
  readonly at: number;
  readonly rowAt: number;
  readonly line: number;
}

/**
 * Cuts a text of delimited values into rows, as RFC 4180 has it; LF, CRLF and a lone CR end rows, and rows without a
 * word are passed over. A quote within a cell that did not begin with one is a character like any other, and so is text
 * between a closing quote and the next delimiter. Row by row, because the cells of a big file are millions; linear.
 */
export class CsvScanner {
  /** Cells of the row, without quotes and white space around them, with LF for each line end within. */
  readonly cells: string[] = [];
  /** 1-based line of the file in which each cell begins. */
  readonly cellLine: number[] = [];
  /** Set when the scan has ended at such a quote: its row, and all after it, are no rows. */
  broken: BrokenQuote | undefined;
  readonly #delimiter: number;

  constructor(
    readonly text: string,
    delimiter: string,
    private at = 0,
    private line = 1,
  ) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** How far the text is read, in UTF-16 units. */
  get position(): number {
    return this.at;
  }

  /** Reads the next row; false at the end, or where a quote is never closed. */
  next(): boolean {
    while (this.at < this.text.length) {
      const rowAt = this.at;
      const rowLine = this.line;
      const quote = this.#readRow();
      if (quote >= 0) {
        this.broken = { at: quote, rowAt, line: rowLine };
        this.at = this.text.length;
        return false;
      }
      if (this.cells.some((cell) => cell !== '')) return true;
    }
    return false;
  }

  /** Reads a row with its line end; returns where a quote opens that is never closed, else -1. */
  #readRow(): number {
    this.cells.length = 0;
    this.cellLine.length = 0;
    for (;;) {
      this.cellLine.push(this.line);
      const quote = this.#openingQuote();
      const cell = quote < 0 ? this.#plain(this.at) : this.#quoted(quote);
      if (cell === undefined) return quote;
      this.cells.push(cell);
      if (this.text.charCodeAt(this.at) !== this.#delimiter) break;
      this.at++;
    }
    this.#endLine();
    return -1;
  }

  /** Position of the quote that opens the cell, behind blanks at most; -1 for none. */
  #openingQuote(): number {
    let at = this.at;
    while (this.text.charCodeAt(at) === 32) at++;
    return this.text.charCodeAt(at) === QUOTE ? at : -1;
  }

  /** The cell in quotes; undefined if they are never closed. */
  #quoted(quote: number): string | undefined {
    const { text } = this;
    let from = quote + 1;
    const pieces: string[] = [];
    for (;;) {
      const end = text.indexOf('"', from);
      if (end < 0) return undefined;
      const doubled = text.charCodeAt(end + 1) === QUOTE;
      pieces.push(text.slice(from, doubled ? end + 1 : end));
      from = end + (doubled ? 2 : 1);
      if (!doubled) break;
    }
    const inside = pieces.length === 1 ? pieces[0]! : pieces.join('');
    const ends = lineEnds(inside);
    const rest = this.#plain(from);
    // `"5 inch` in one row must not swallow all rows up to the next quote: that one opens a cell and closes none.
    if (ends > 0 && rest !== '') return this.#plain(quote);
    const normal = inside.includes('\r') ? inside.replace(/\r\n?/g, '\n') : inside;
    // White space before the cell's words is cut off; they begin where they begin.
    this.cellLine[this.cellLine.length - 1] = this.line + lineEnds(/^\s*/.exec(normal)![0]);
    this.line += ends;
    return (rest === '' ? normal : normal + this.text.slice(from, this.at)).trim();
  }

  /** The text up to the next delimiter or line end. */
  #plain(from: number): string {
    const { text } = this;
    const delimiter = this.#delimiter;
    let end = from;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === delimiter || code === LF || code === CR) break;
    }
    this.at = end;
    return text.slice(from, end).trim();
  }

  #endLine(): void {
    if (this.at >= this.text.length) return;
    if (this.text.charCodeAt(this.at) === CR && this.text.charCodeAt(this.at + 1) === LF) this.at++;
    this.at++;
    this.line++;
  }
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) count++;
  }
  return count;
}
