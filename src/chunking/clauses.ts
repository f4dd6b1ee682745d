/** Legal text by numbered clause: finds the clauses, and the tree that their numbers make. */

import { BlockKind, type Document } from '../model/document.js';
import { type ClauseMarker, RANK_DECIMAL, RANK_ITEM, readClauseMarker, readItems } from './clause-marker.js';
import { contentsRows } from './contents.js';
import type { Mark } from './reoutline.js';
import { type TextLine, TextLines } from './text-lines.js';
import { skipWhite } from './white.js';

export interface Clauses {
  readonly marks: readonly Mark[];
  /** Clauses with a number that a plain list has not: 'Article 5', '§ 12', '4.2', '第三条'. */
  readonly numbered: number;
  /** Of the decimal numbers that stand in no coarser clause, up to the highest: the share of the first parts that occur. */
  readonly wholeness: number;
}

const MAX_TITLE_CHARS = 100;
const MAX_RUN_IN_TITLE_CHARS = 60;
const MAX_RUN_IN_TITLE_WORDS = 6;

/** A line after which a clause may begin within a paragraph. */
const ENDS_CLAUSE = /[.;:!?。；：！？]["'”’)\]]*$|(?:^|[\s,;])(?:and|or|und|oder)$/;

export function findClauses(document: Document): Clauses {
  const lines = new TextLines(document);
  const contents = contentsRows(lines);
  const stack = new ClauseStack();
  const marks: Mark[] = [];
  let numbered = 0;
  const firstParts = new Set<number>();
  let section = -1;
  let lastMarked = -1;
  for (let row = 0; row < lines.length; row++) {
    const line = lines.at(row)!;
    if (line.section !== section) stack.clear();
    section = line.section;
    if (line.kind === BlockKind.heading) continue;
    if (contents.has(row)) {
      lastMarked = row;
      continue;
    }
    const mayBegin = line.isFirst || lastMarked === row - 1 || endsClause(lines.at(row - 1));
    if (!mayBegin) continue;
    for (const marker of markersOf(line)) {
      const depth = stack.place(marker, line);
      if (depth === undefined) break;
      marks.push(markOf(line, marker, depth, lines.at(row + 1)));
      if (marker.decimal && stack.outermostRank === RANK_DECIMAL) firstParts.add(marker.decimal[0]!);
      if (marker.rank !== RANK_ITEM && (marker.decimal?.length ?? 2) > 1) numbered++;
      lastMarked = row;
    }
  }
  const settled = marks.map((mark, i) => settleHeading(document, mark, marks[i + 1]));
  return { marks: settled, numbered, wholeness: wholenessOf(firstParts) };
}

function wholenessOf(numbers: ReadonlySet<number>): number {
  const highest = Math.max(...numbers);
  return highest > 0 ? (numbers.size - Number(numbers.has(0))) / highest : 1;
}

function endsClause(line: TextLine | undefined): boolean {
  return line?.isWhole === true && ENDS_CLAUSE.test(line.text);
}

function markersOf(line: TextLine): ClauseMarker[] {
  const marker = readClauseMarker(line.text);
  return marker === undefined ? readItems(line.text) : [marker];
}

function markOf(line: TextLine, marker: ClauseMarker, depth: number, next: TextLine | undefined): Mark {
  const { rest } = marker;
  const endsParagraph = next === undefined || next.block !== line.block || markersOf(next).length > 0;
  const isTitle = endsParagraph && line.isWhole && isHeadingLike(rest);
  const sharesChunks = marker.rank === RANK_ITEM;
  const title = sharesChunks ? '' : isTitle ? rest : runInTitle(rest);
  const heading = title === '' ? marker.label : `${marker.label} ${title}`;
  return {
    start: line.start,
    end: line.end,
    heading,
    depth,
    isHeading: isTitle && !sharesChunks,
    sharesChunks,
  };
}

function isHeadingLike(rest: string): boolean {
  return rest.length <= MAX_TITLE_CHARS && !/[.;,:。；，：]$|[.;:]\s/.test(rest);
}

/** Of '4.2 Renewal. The term is …': Renewal. */
function runInTitle(rest: string): string {
  const title = /^(\p{Lu}[^.:;。：]*)[.:]\s+\S/u.exec(rest)?.[1] ?? '';
  const fits = title.length <= MAX_RUN_IN_TITLE_CHARS && title.split(/\s+/).length <= MAX_RUN_IN_TITLE_WORDS;
  return fits ? title : '';
}

/** A short clause that nothing follows is no heading: it would be merged with the next one. */
function settleHeading({ text }: Document, mark: Mark, next: Mark | undefined): Mark {
  if (!mark.isHeading) return mark;
  const leads = next !== undefined && next.depth > mark.depth;
  const end = next?.start ?? text.length;
  return leads || skipWhite(text, mark.end, end) < end ? mark : { ...mark, isHeading: false };
}

interface OpenClause {
  readonly marker: ClauseMarker;
  readonly style: string;
  readonly ordinal: number;
}

/** The clauses that are open where a text is read, outermost first. */
class ClauseStack {
  #open: OpenClause[] = [];
  /** The last decimal number since the last coarser clause: numbers only rise. */
  #lastDecimal: readonly number[] = [];
  /** White space before the first of them. */
  #indent = 0;

  /** Of the clause that holds all that are open; undefined for none. */
  get outermostRank(): number | undefined {
    return this.#open[0]?.marker.rank;
  }

  clear(): void {
    this.#open = [];
    this.#lastDecimal = [];
  }

  /** The depth of the new clause, from 1; undefined for a number that does not go on from those before. */
  place(marker: ClauseMarker, line: TextLine): number | undefined {
    if (marker.decimal !== undefined) return this.#placeDecimal(marker, marker.decimal, line);
    if (marker.ordinals !== undefined) return this.#placeItem(marker, marker.ordinals);
    const { rank, style } = marker;
    const same = this.#open.findIndex((one) => one.marker.rank === rank && one.style === style);
    const finer = this.#open.findIndex((one) => one.marker.rank > rank);
    this.#lastDecimal = [];
    return this.#push(marker, style, 0, same >= 0 ? same : finer);
  }

  #placeDecimal(marker: ClauseMarker, decimal: readonly number[], line: TextLine): number | undefined {
    if (compare(decimal, this.#lastDecimal) <= 0) {
      if (!this.#beginsAnew(decimal, line)) return undefined;
      const first = this.#open.findIndex(({ marker: { rank } }) => rank >= RANK_DECIMAL);
      if (first >= 0) this.#open.length = first;
      this.#lastDecimal = [];
    }
    if (this.#lastDecimal.length === 0) this.#indent = line.indent;
    this.#lastDecimal = decimal;
    const from = this.#open.findIndex(
      ({ marker: { rank, decimal: open } }) =>
        rank > RANK_DECIMAL || (open !== undefined && open.length >= decimal.length),
    );
    return this.#push(marker, marker.style, 0, from);
  }

  /** Behind one licence another may stand in the same file; a list within a clause is indented, or no paragraph. */
  #beginsAnew(decimal: readonly number[], line: TextLine): boolean {
    const isFirstNumber = decimal.every((number) => number === 1);
    return isFirstNumber && line.isFirst && line.kind === BlockKind.prose && line.indent <= this.#indent;
  }

  /** An item goes on in the innermost list whose next number it may be; else it begins a list in the clause at hand. */
  #placeItem(marker: ClauseMarker, ordinals: NonNullable<ClauseMarker['ordinals']>): number | undefined {
    for (let row = this.#open.length - 1; row >= 0; row--) {
      const open = this.#open[row]!;
      const next = ordinals.find(
        ({ style, ordinal }) => style === open.style && ordinal === open.ordinal + 1,
      );
      if (next) return this.#push(marker, next.style, next.ordinal, row);
    }
    const first = ordinals.find(({ ordinal }) => ordinal === 1);
    const { style, ordinal } = first ?? ordinals[0]!;
    const same = this.#open.findIndex((one) => one.style === style);
    return this.#push(marker, style, ordinal, same);
  }

  /** @param from the first of the open ones that it ends; -1 for none */
  #push(marker: ClauseMarker, style: string, ordinal: number, from: number): number {
    if (from >= 0) this.#open.length = from;
    return this.#open.push({ marker, style, ordinal });
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? -1) - (b[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
