import { rowsOf } from './lines.js';
import type { PageText } from './page.js';
import type { Run } from './runs.js';

/** What is printed on page after page and belongs to none: running heads, footers, page numbers. */
export interface Furniture {
  readonly runs: ReadonlySet<Run>;
  /** Characters that are not white space, by reason. */
  readonly chars: ReadonlyMap<string, number>;
}

/** Rows looked at from each edge of a page. */
const EDGE_ROWS = 3;
/** Share of the height of a page that its edges have. */
const EDGE_SHARE = 0.16;
/** Pages on which a row must come again. */
const MIN_PAGES = 3;
/** Furthest that the same row moves up or down between pages, in points. */
const MAX_DRIFT = 4;

interface EdgeRow {
  readonly page: number;
  readonly side: 'header' | 'footer';
  /** 0 for the outermost. */
  readonly rank: number;
  readonly text: string;
  readonly y: number;
  readonly runs: readonly Run[];
}

/**
 * Finds rows at the top and bottom of pages that come again at the same height: on 3 pages, or on both of two; numbers
 * in them may differ. Where such rows are, a row with the right page number is one too, whatever else it says: running
 * heads name the chapter. A row is left alone if one nearer to the edge is.
 */
export function findFurniture(pages: readonly (PageText | undefined)[]): Furniture {
  const rows = pages.flatMap((page, index) => (page ? edgeRows(page, index) : []));
  const repeated = repeatedRows(rows, Math.min(MIN_PAGES, Math.max(2, pages.length)));
  const numbered = numberedRows(rows, repeated);
  const runs = new Set<Run>();
  const chars = new Map<string, number>();
  let outer: EdgeRow | undefined;
  let open = true;
  for (const row of rows) {
    if (outer?.page !== row.page || outer.side !== row.side) open = true;
    outer = row;
    open &&= repeated.has(row) || numbered.has(row);
    if (!open) continue;
    for (const run of row.runs) runs.add(run);
    const reason = /[\p{L}]{3}/u.test(row.text) ? `repeated page ${row.side}` : 'page number';
    chars.set(reason, (chars.get(reason) ?? 0) + row.text.replace(/\s/g, '').length);
  }
  return { runs, chars };
}

/** From the outermost inwards, on each side. */
function edgeRows({ frames, view }: PageText, page: number): EdgeRow[] {
  const frame = frames[0];
  if (!frame) return [];
  const [top, bottom] = edgesOf(view, frame.degrees);
  const height = bottom - top;
  const rows = rowsOf(frame.runs);
  const make = (row: readonly Run[], side: EdgeRow['side'], rank: number): EdgeRow => {
    const runs = [...row].sort((a, b) => a.x - b.x);
    return { page, side, rank, text: runs.map((run) => run.text).join(' '), y: row[0]!.y, runs };
  };
  const header = rows
    .slice(0, EDGE_ROWS)
    .filter((row) => row[0]!.y < top + EDGE_SHARE * height)
    .map((row, rank) => make(row, 'header', rank));
  const footer = rows
    .slice(-EDGE_ROWS)
    .reverse()
    .filter((row) => row[0]!.y > bottom - EDGE_SHARE * height)
    .map((row, rank) => make(row, 'footer', rank));
  return [...header, ...footer];
}

/** Top and bottom of the page, in the coordinates of a frame. */
function edgesOf([left = 0, low = 0, right = 0, high = 0]: readonly number[], degrees: number) {
  const radians = (degrees * Math.PI) / 180;
  const ys = [left, right].flatMap((x) =>
    [low, high].map((y) => x * Math.sin(radians) - y * Math.cos(radians)),
  );
  return [Math.min(...ys), Math.max(...ys)] as const;
}

function repeatedRows(rows: readonly EdgeRow[], minPages: number): Set<EdgeRow> {
  const groups = new Map<string, EdgeRow[]>();
  for (const row of rows) {
    const key = `${row.side} ${row.text.replace(/\d+/g, '#').replace(/\s+/g, ' ').toLowerCase()}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const repeated = new Set<EdgeRow>();
  for (const group of groups.values()) {
    for (const same of atOneHeight(group)) {
      if (new Set(same.map(({ page }) => page)).size < minPages) continue;
      for (const row of same) repeated.add(row);
    }
  }
  return repeated;
}

function atOneHeight(rows: readonly EdgeRow[]): EdgeRow[][] {
  const groups: EdgeRow[][] = [];
  for (const row of [...rows].sort((a, b) => a.y - b.y)) {
    const group = groups.at(-1);
    if (group && row.y - group[0]!.y <= MAX_DRIFT) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Rows at the height of repeated ones that begin or end in the number of their page. */
function numberedRows(rows: readonly EdgeRow[], repeated: ReadonlySet<EdgeRow>): Set<EdgeRow> {
  const heights = new Set<string>();
  const offsets = new Map<number, number>();
  for (const row of repeated) {
    for (const y of [-1, 0, 1]) heights.add(`${row.side} ${Math.round(row.y / MAX_DRIFT) + y}`);
    for (const offset of numberOffsets(row)) offsets.set(offset, (offsets.get(offset) ?? 0) + 1);
  }
  const usual = new Set([...offsets].filter(([, count]) => count >= MIN_PAGES).map(([offset]) => offset));
  return new Set(
    rows.filter(
      (row) =>
        heights.has(`${row.side} ${Math.round(row.y / MAX_DRIFT)}`) &&
        numberOffsets(row).some((offset) => usual.has(offset)),
    ),
  );
}

/** How far the numbers at the ends of a row are from the count of its page. */
function numberOffsets({ text, page }: EdgeRow): number[] {
  const numbers = [/^\D{0,3}(\d{1,5})\b/.exec(text)?.[1], /\b(\d{1,5})\D{0,3}$/.exec(text)?.[1]];
  return numbers.flatMap((number) => (number === undefined ? [] : [Number(number) - page]));
}
