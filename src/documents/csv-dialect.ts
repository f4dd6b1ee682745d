import { CsvScanner } from './csv-records.js';

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** UTF-16 units after which no further row is looked at, and rows that are looked at however long they are. */
const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_ROWS = 10;
/** Share of the rows that must have the same number of cells. */
const MIN_REGULAR_SHARE = 0.3;

export interface CsvDialect {
  readonly delimiter: string;
  /** Cells that most rows have. */
  readonly columns: number;
  /** The first rows of the file. */
  readonly rows: readonly string[][];
}

/**
 * How a text of delimited values is written: the delimiter that cuts most rows into the same number of cells. Undefined
 * for a text that none cuts regularly.
 * @param declared a delimiter that the file names itself
 */
export function csvDialect(text: string, declared?: string): CsvDialect | undefined {
  let best: CsvDialect | undefined;
  let bestScore = 0;
  for (const delimiter of declared === undefined ? DELIMITERS : [declared]) {
    if (!text.includes(delimiter)) continue;
    const rows = rowsOf(text, delimiter);
    const { columns, share } = regularity(rows);
    if (columns < 2 || (share < MIN_REGULAR_SHARE && declared === undefined)) continue;
    // Between equally regular ones, more columns: commas stand in prose that semicolons part.
    const score = share + Math.min(columns, 50) / 1000;
    if (score <= bestScore) continue;
    best = { delimiter, columns, rows };
    bestScore = score;
  }
  return best;
}

/** The first rows, whole ones: cut within a quoted cell, the row would be taken for a quote that is never closed. */
function rowsOf(text: string, delimiter: string): string[][] {
  const scanner = new CsvScanner(text, delimiter);
  const rows: string[][] = [];
  while ((scanner.position < SAMPLE_LENGTH || rows.length < SAMPLE_ROWS) && scanner.next()) {
    rows.push([...scanner.cells]);
  }
  return rows;
}

/** The most frequent number of cells, and the share of the rows that have it. */
function regularity(rows: readonly string[][]): { columns: number; share: number } {
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  let columns = 0;
  let most = 0;
  for (const [cells, count] of counts) {
    if (count > most || (count === most && cells > columns)) {
      columns = cells;
      most = count;
    }
  }
  return { columns, share: most / Math.max(1, rows.length) };
}

const NUMBER = /^[-+]?[\p{Sc}\s]?(?:\d[\d.,' \u00a0]*|\.\d+)(?:e[-+]?\d+)?\s?[%\p{Sc}]?$/iu;
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d{1,2}:\d{2}.*)?$/;

/**
 * Whether a row names the columns: no cell of it is a number or a date, and none says the same as another. Years are
 * names (`country, 2019, 2020`) where the row below has other values under them.
 */
export function isHeader(cells: readonly string[], below: readonly string[]): boolean {
  const named = cells.filter((cell) => cell !== '');
  if (named.length * 2 < cells.length || new Set(named).size < named.length) return false;
  if (below.length === 0) return false;
  return cells.every((cell, i) => {
    if (YEAR.test(cell)) return !YEAR.test(below[i] ?? '') && named.some((name) => !NUMBER.test(name));
    return !NUMBER.test(cell) && !DATE.test(cell);
  });
}

const YEAR = /^(?:1[5-9]|20)\d\d$/;
