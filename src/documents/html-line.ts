import { type HtmlPlace, shiftPlaces } from './html-place.js';

export interface PlacedText {
  readonly text: string;
  readonly places: readonly HtmlPlace[];
  /** UTF-16 units of it that are the words of links. */
  readonly linked: number;
}

/**
 * The text of the paragraph, heading or `<pre>` that is being read. Pieces are joined once at the end: looking at the
 * end of a growing string would copy it each time, and a page may be one paragraph of a million pieces.
 */
export class HtmlLine {
  #pieces: string[] = [];
  #length = 0;
  #linked = 0;
  #places: HtmlPlace[] = [];
  /** Nothing or a line end comes before. */
  #lineStarts = true;
  #blankBefore = true;
  /** A line end was added that the file lacks, or nothing was added yet. */
  #newPlace = true;

  /**
   * Adds text in which runs of white space count as one blank, and as none where a line starts. `line` is the raw line
   * in which it begins; each line end in it begins another.
   */
  addCollapsed(data: string, line: number, isLink: boolean): void {
    const before = this.#length;
    if (!/[\n\r]/.test(data)) this.#addLine(data, line);
    else {
      for (const [i, part] of data.split(/\r\n?|\n/).entries()) {
        if (i > 0) this.addBlank();
        this.#addLine(part, line + i);
      }
    }
    if (isLink) this.#linked += this.#length - before;
  }

  #addLine(data: string, line: number): void {
    let text = data.replace(/[ \t\f]+/g, ' ');
    if (this.#blankBefore && text.charCodeAt(0) === 32) text = text.slice(1);
    if (text === '') return;
    this.#place(line);
    this.#add(text);
  }

  /** Adds text as it is but for its line ends, which all become LF. */
  addVerbatim(data: string, line: number): void {
    if (data === '') return;
    // Whether tags stand between or not, lines follow those of the file, until one is ended that the file lacks.
    if (this.#newPlace) this.#places.push({ at: this.#length, line, follows: true });
    this.#newPlace = false;
    this.#add(data.includes('\r') ? data.replace(/\r\n?/g, '\n') : data);
  }

  addBlank(): void {
    if (!this.#blankBefore) this.#add(' ');
  }

  addLineEnd(): void {
    this.#newPlace = true;
    this.#add('\n');
  }

  /** Ends the line unless a new one starts here anyway. */
  endLine(): void {
    if (!this.#lineStarts) this.addLineEnd();
  }

  /** The collapsed text so far without white space around its lines; the buffer is empty afterwards. */
  takeCollapsed(): PlacedText {
    const { text, places, linked } = this.#take();
    const lines = text.replace(/ \n/g, '\n');
    const start = lines.length - lines.trimStart().length;
    return placed(lines.trim(), shiftPlaces(withoutBlanks(text, places), start, 0), linked);
  }

  /** Text so far as it came, without the line end after `<pre>` and the white space at its end. */
  takeVerbatim(): PlacedText {
    const { text, places, linked } = this.#take();
    if (!text.startsWith('\n')) return placed(text.trimEnd(), places, linked);
    const moved = shiftPlaces(places, 1, 0);
    const isOfFile = places[0]?.at === 0;
    if (isOfFile && places[1]?.at !== 1) moved[0] = { ...moved[0]!, line: moved[0]!.line + 1 };
    return placed(text.slice(1).trimEnd(), moved, linked);
  }

  #place(line: number): void {
    if (this.#places.at(-1)?.line !== line) this.#places.push({ at: this.#length, line });
  }

  #add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    const last = text.charCodeAt(text.length - 1);
    this.#lineStarts = last === 10;
    this.#blankBefore = last === 10 || last === 32;
  }

  #take(): PlacedText {
    const text = this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
    const places = this.#places;
    const linked = this.#linked;
    this.#linked = 0;
    this.#pieces = [];
    this.#places = [];
    this.#length = 0;
    this.#lineStarts = true;
    this.#blankBefore = true;
    this.#newPlace = true;
    return { text, places, linked };
  }
}

/** A text that was cut at its end, without the places of what was cut: they would be taken for what comes next. */
function placed(text: string, places: readonly HtmlPlace[], linked: number): PlacedText {
  const isIn = ({ at }: HtmlPlace) => at < text.length;
  return { text, places: places.every(isIn) ? places : places.filter(isIn), linked };
}

/** Places in the text without its blanks before line ends. */
function withoutBlanks(text: string, places: readonly HtmlPlace[]): readonly HtmlPlace[] {
  let gone = text.indexOf(' \n');
  if (gone < 0) return places;
  const moved: HtmlPlace[] = [];
  let less = 0;
  for (const place of places) {
    for (; gone >= 0 && gone < place.at; gone = text.indexOf(' \n', gone + 1)) less++;
    moved.push({ ...place, at: place.at - less });
  }
  return moved;
}
