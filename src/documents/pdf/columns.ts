import { type Line, linesOf, rowsOf } from './lines.js';
import type { Run } from './runs.js';

/** Positions on the x axis that are tried as the gap between columns. */
const BINS = 512;
/** Fewest runs on each side of a gap that make columns. */
const MIN_SIDE_RUNS = 4;
/** Deepest nesting: three splits are eight columns. */
const MAX_DEPTH = 3;
/** Least share of the width that each column has. */
const MIN_COLUMN_SHARE = 0.15;
/** Fewest characters of a line of running text in a column, at the median: cells of tables have less. */
const MIN_LINE_CHARS = 18;
/** Least share of its column that a line of running text fills, at the median. */
const MIN_FILLED = 0.6;
/** Most changes from one column to another, per row, of a page that is drawn column by column. */
const MAX_CHANGES_A_ROW = 0.5;

/**
 * Lines in reading order: the first column before the second, and what goes across all columns where it stands.
 * Columns are told from tables by the order of drawing and by how full their lines are.
 */
export function linesInReadingOrder(runs: readonly Run[], depth = 0): Line[] {
  const gap = depth < MAX_DEPTH ? widestGap(runs) : undefined;
  if (gap === undefined) return linesOf(runs);
  const rows = rowsOf(runs);
  const crosses = (row: readonly Run[]) => row.some((run) => run.x < gap && run.right > gap);
  const within = rows.filter((row) => !crosses(row));
  if (!areColumns(within, gap)) return linesOf(runs);
  const parts: Line[][] = [];
  for (let from = 0; from < rows.length; ) {
    const across = crosses(rows[from]!);
    let to = from + 1;
    while (to < rows.length && crosses(rows[to]!) === across) to++;
    const band = rows.slice(from, to).flat();
    if (across) parts.push(linesOf(band));
    else {
      const [left, right] = [band.filter((run) => run.x < gap), band.filter((run) => run.x >= gap)];
      parts.push(linesInReadingOrder(left, depth + 1), linesInReadingOrder(right, depth + 1));
    }
    from = to;
  }
  return parts.flat();
}

/** Where on the x axis most runs lie on both sides and fewest across; undefined where that is no gap between columns. */
function widestGap(runs: readonly Run[]): number | undefined {
  if (runs.length < 2 * MIN_SIDE_RUNS) return undefined;
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const run of runs) {
    left = Math.min(left, run.x);
    right = Math.max(right, run.right);
  }
  const width = right - left;
  if (!(width > 0)) return undefined;
  const ends = new Uint32Array(BINS + 1);
  const starts = new Uint32Array(BINS + 1);
  const bin = (x: number) => Math.min(BINS, Math.max(0, ((x - left) / width) * BINS));
  for (const run of runs) {
    ends[Math.ceil(bin(run.right))]!++;
    starts[Math.floor(bin(run.x))]!++;
  }
  let before = 0;
  let started = 0;
  let best = { score: 0, from: 0, to: 0 };
  for (let at = 0; at <= BINS; at++) {
    before += ends[at]!;
    const after = runs.length - started;
    started += starts[at]!;
    const across = runs.length - before - after;
    const score = Math.min(before, after) - 2 * Math.max(0, across);
    const share = at / BINS;
    if (Math.min(before, after) < MIN_SIDE_RUNS) continue;
    if (share < MIN_COLUMN_SHARE || share > 1 - MIN_COLUMN_SHARE) continue;
    if (score > best.score) best = { score, from: at, to: at };
    else if (score === best.score && at === best.to + 1) best.to = at;
  }
  return best.score > 0 ? left + (((best.from + best.to) / 2) * width) / BINS : undefined;
}

function areColumns(rows: readonly (readonly Run[])[], gap: number): boolean {
  const runs = rows.flat();
  const sides = [runs.filter((run) => run.x < gap), runs.filter((run) => run.x >= gap)];
  if (sides.some((side) => side.length < MIN_SIDE_RUNS)) return false;
  const both = rows.filter((row) => row.some((run) => run.x < gap) && row.some((run) => run.x >= gap)).length;
  const drawn = [...runs].sort((a, b) => a.order - b.order);
  let changes = 0;
  for (let i = 1; i < drawn.length; i++) if (drawn[i]!.x < gap !== drawn[i - 1]!.x < gap) changes++;
  if (changes <= Math.max(1, both * MAX_CHANGES_A_ROW)) return true;
  return sides.every(isRunningText);
}

function isRunningText(runs: readonly Run[]): boolean {
  const lines = linesOf(runs);
  const width = lines[0]!.column.right - lines[0]!.column.x;
  const chars = median(lines.map((line) => line.text.length));
  const filled = median(lines.map((line) => (line.right - line.x) / width));
  return chars >= MIN_LINE_CHARS && filled >= MIN_FILLED;
}

export function median(values: number[]): number {
  const sorted = values.sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
