/**
 * The text of the paragraph, heading or `<pre>` that is being read. Pieces are joined once at the end: looking at the
 * end of a growing string would copy it each time, and a page may be one paragraph of a million pieces.
 */
export class HtmlLine {
  #pieces: string[] = [];
  /** Nothing or a line end comes before. */
  #lineStarts = true;
  #blankBefore = true;

  /** Adds text in which runs of white space count as one blank, and as none where a line starts. */
  addCollapsed(data: string): void {
    let text = data.replace(/[ \t\n\r\f]+/g, ' ');
    if (this.#blankBefore && text.charCodeAt(0) === 32) text = text.slice(1);
    this.#add(text);
  }

  addVerbatim(data: string): void {
    this.#add(data);
  }

  addBlank(): void {
    if (!this.#blankBefore) this.#add(' ');
  }

  addLineEnd(): void {
    this.#add('\n');
  }

  /** Ends the line unless a new one starts here anyway. */
  endLine(): void {
    if (!this.#lineStarts) this.#add('\n');
  }

  /** The collapsed text so far without white space around its lines; the buffer is empty afterwards. */
  takeCollapsed(): string {
    return this.#take()
      .replace(/ ?\n ?/g, '\n')
      .trim();
  }

  /** Text so far as it came, without the line end after `<pre>` and the white space at its end. */
  takeVerbatim(): string {
    return this.#take().replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
  }

  #add(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    const last = text.charCodeAt(text.length - 1);
    this.#lineStarts = last === 10;
    this.#blankBefore = last === 10 || last === 32;
  }

  #take(): string {
    const text = this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
    this.#pieces = [];
    this.#lineStarts = true;
    this.#blankBefore = true;
    return text;
  }
}
