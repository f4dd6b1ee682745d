import { BlockKind } from '../model/document.js';
import { eachParagraph, LineTable } from './lines.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';
import { RawLineMap } from './raw-line-map.js';
import { TextPieces } from './text-pieces.js';

/** The text of a file of delimited values under construction, with the way back to the file's lines. */
export class CsvWriter {
  readonly #text = new TextPieces();
  readonly #outline = new Outline();
  readonly #lines = new RawLineMap();

  get length(): number {
    return this.#text.length;
  }

  /** Adds a line that comes from the raw line `line`; `follows` if the next one comes from the line after it. */
  line(text: string, line: number, follows = true): void {
    this.#lines.add(this.length, line, 1, follows);
    this.#text.add(`${text}\n`);
  }

  /** Adds a blank line, except at the start. */
  blank(): void {
    if (this.length === 0) return;
    this.#text.add('\n');
    this.#lines.break();
  }

  /** What was written since `start` is a block. */
  block(start: number, kind: BlockKind): void {
    this.#outline.block(start, this.length - 1, kind);
  }

  /** Adds prose that comes from the file line by line. */
  rest(text: string, line: number): void {
    this.blank();
    const start = this.length;
    const lines = new LineTable(text);
    this.#lines.add(start, line, lines.count, true);
    this.#text.add(text);
    eachParagraph(lines, 0, lines.count, (from, to) => {
      this.#outline.block(start + lines.start(from), start + lines.contentEnd(to - 1), BlockKind.prose);
    });
  }

  build(): ParsedText {
    const rawLines = this.#lines.build();
    return {
      text: this.#text.toString(),
      title: undefined,
      metadata: {},
      ...this.#outline.build(this.length),
      ...(rawLines && { rawLines }),
    };
  }
}
