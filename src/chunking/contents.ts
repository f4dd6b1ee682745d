/**
 * Tables of contents: lines that number titles, and nothing else, before the text whose numbers begin anew. Those with
 * page numbers are told line by line (`readClauseMarker`).
 */

import { BlockKind } from '../model/document.js';
import { readClauseMarker } from './clause-marker.js';
import type { TextLine, TextLines } from './text-lines.js';

/** Fewer titles with no text behind them, one after another, are headings of several levels. */
const LEAST_BARE = 2;
/** Rows from one entry to the next: a part without a number, or the second line of a title, may stand between. */
const MAX_STEP = 2;
const MAX_TITLE_CHARS = 300;

/** The rows of lines that are entries of a table of contents. */
export function contentsRows(lines: TextLines): ReadonlySet<number> {
  const found = new Set<number>();
  let run = new Run();
  for (let row = 0; row < lines.length; row++) {
    const line = lines.at(row)!;
    const label = line.kind === BlockKind.heading ? undefined : readClauseMarker(line.text)?.label;
    if (label === undefined) continue;
    const beginsAnew = run.labels.has(label);
    // Numbers that begin anew behind a run of titles are those of the text.
    if (beginsAnew && run.isContents) for (const entry of run.rows) found.add(entry);
    if (beginsAnew || run.last < row - MAX_STEP || !isTitle(line)) run = new Run();
    if (isTitle(line)) run.add(row, label, isBare(lines, row));
  }
  return found;
}

class Run {
  readonly rows: number[] = [];
  readonly labels = new Set<string>();
  /** Those of them behind which no text stands. */
  #bare = 0;

  get last(): number {
    return this.rows.at(-1) ?? 0;
  }

  get isContents(): boolean {
    return this.#bare >= LEAST_BARE && this.#bare * 2 > this.rows.length;
  }

  add(row: number, label: string, isBare: boolean): void {
    this.rows.push(row);
    this.labels.add(label);
    if (isBare) this.#bare++;
  }
}

function isTitle({ text, isWhole }: TextLine): boolean {
  return isWhole && text.length <= MAX_TITLE_CHARS && !/[.;。；]$/.test(text);
}

function isBare(lines: TextLines, row: number): boolean {
  const next = lines.at(row + 1);
  return next === undefined || next.kind === BlockKind.heading || readClauseMarker(next.text) !== undefined;
}
