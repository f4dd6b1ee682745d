import { unspacedChars } from './letters.js';
import type { Run } from './runs.js';

/** A line of text as a reader sees it. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  readonly font: string;
  readonly monospace: boolean;
  /** Texts with wide gaps between them: one, or the cells of a table. */
  readonly cells: number;
  /** Edges of the column that it stands in. */
  readonly column: Column;
}

export interface Column {
  readonly x: number;
  readonly right: number;
}

/** Furthest that baselines of one line lie apart, in ems. */
const MAX_OFFSET = 0.5;
const CELL_SEPARATOR = '  ';
/** Share of a line of code that is in fonts of one width. */
const MIN_MONOSPACED = 0.9;
/** The dots that lead to a page number. */
const DOT_LEADERS = /(?:\s?[.·…]){5,}\s?/g;
export const LEADER = ' ... ';

/** Runs that stand side by side, row by row from the top down; within a row as they come. */
export function rowsOf(runs: readonly Run[]): Run[][] {
  const sorted = [...runs].sort((a, b) => a.y - b.y || a.order - b.order);
  const rows: Run[][] = [];
  let y = Number.NaN;
  let size = 0;
  for (const run of sorted) {
    const row = rows.at(-1);
    if (row && run.y - y < MAX_OFFSET * Math.min(size, run.size)) row.push(run);
    else rows.push([run]);
    // A row is where its largest text is: a row of superscripts must not chain on to the next line.
    if (rows.at(-1)!.length === 1 || run.size > size) {
      y = run.y;
      size = run.size;
    }
  }
  return rows;
}

/** The lines of a column, from the top down. */
export function linesOf(runs: readonly Run[]): Line[] {
  if (runs.length === 0) return [];
  const column = extentOf(runs);
  return rowsOf(runs).map((row) => lineOf(row, column));
}

export function extentOf(runs: readonly Run[]): Column {
  let x = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const run of runs) {
    x = Math.min(x, run.x);
    right = Math.max(right, run.right);
  }
  return { x, right };
}

function isMonospace(runs: readonly Run[]): boolean {
  const chars = runs.reduce((sum, run) => sum + run.text.length, 0);
  if (runs.reduce((sum, run) => sum + run.monospaced, 0) < MIN_MONOSPACED * chars) return false;
  // Chinese characters are of one width in every font.
  return runs.reduce((sum, run) => sum + unspacedChars(run.text), 0) < chars / 2;
}

function lineOf(row: readonly Run[], column: Column): Line {
  const rightToLeft = row.filter((run) => run.rightToLeft).length * 2 > row.length;
  const runs = [...row].sort((a, b) => (rightToLeft ? b.right - a.right : a.x - b.x));
  const main = runs.reduce((most, run) => (run.text.length > most.text.length ? run : most));
  const { size } = main;
  let text = runs[0]!.text;
  let cells = 1;
  for (let i = 1; i < runs.length; i++) {
    const before = runs[i - 1]!;
    const run = runs[i]!;
    const gap = rightToLeft ? before.x - run.right : run.x - before.right;
    const wide = gap > 1.5 * size;
    if (wide) cells++;
    text += `${wide ? CELL_SEPARATOR : gap > 0.1 * size ? ' ' : ''}${run.text}`;
  }
  return {
    text: text.replace(DOT_LEADERS, LEADER).trim(),
    ...extentOf(runs),
    y: main.y,
    size,
    font: main.font,
    monospace: isMonospace(runs),
    cells,
    column,
  };
}
