/** Heads and rows of tables that are not written with bars and a line of dashes: reStructuredText and AsciiDoc. */

import { nextLine, trimEnd } from './white.js';

export interface TableRows {
  /** First lines, as indexes into the lines, that later parts repeat; empty if the table names no columns. */
  readonly head: readonly number[];
  /** Indexes of the lines at which a part may begin, the first line of the table excluded. */
  readonly rows: readonly number[];
}

/** Lines among which the head must end. */
const MAX_HEAD_LINES = 24;

const GRID_TOP = /^\s*\+-[-+]*-\+\s*$/;
const GRID_RULE = /^\s*\+[-+]*-\+\s*$/;
const GRID_HEAD_RULE = /^\s*\+=[=+]*=\+\s*$/;
const SIMPLE_RULE = /^\s*=+(?: +=+)+\s*$/;
const ASCIIDOC_TOP = /^[|,:!]={3,}\s*$/;
const DIRECTIVE = /^\s*\.\.\s+(?:csv-table|list-table|flat-table)::/;
const OPTION = /^\s+:[\w-]+:/;
const LIST_ROW = /^\s*\*\s+-/;

/** Head and rows of a grid table, a simple table, a table directive or an AsciiDoc table; undefined for others. */
export function markupTableRows(text: string, lines: readonly number[]): TableRows | undefined {
  const line = (index: number) => {
    const at = lines[index]!;
    return text.slice(at, trimEnd(text, at, nextLine(text, at, text.length)));
  };
  const first = line(0);
  if (GRID_TOP.test(first)) return gridRows(lines.length, line);
  if (SIMPLE_RULE.test(first)) return simpleRows(lines.length, line);
  if (DIRECTIVE.test(first)) return directiveRows(lines.length, line);
  for (let index = 0; index < Math.min(lines.length, MAX_HEAD_LINES); index++) {
    if (ASCIIDOC_TOP.test(line(index))) return asciidocRows(lines.length, line, index);
    if (!/^[.[]/.test(line(index))) return undefined;
  }
  return undefined;
}

type LineText = (index: number) => string;

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

/** Index of the first of the lines [from, to) that the pattern fits; -1 for none. */
function find(line: LineText, from: number, to: number, pattern: RegExp): number {
  for (let index = from; index < to; index++) if (pattern.test(line(index))) return index;
  return -1;
}

/** Rows end with a rule, which belongs to the row above it. */
function gridRows(count: number, line: LineText): TableRows {
  const rule = find(line, 1, Math.min(count, MAX_HEAD_LINES), GRID_HEAD_RULE);
  const rows = range(Math.max(1, rule + 1), count).filter(
    (index) => index === rule + 1 || GRID_RULE.test(line(index - 1)),
  );
  return { head: range(0, rule + 1), rows };
}

function simpleRows(count: number, line: LineText): TableRows {
  const rule = find(line, 1, Math.min(count, MAX_HEAD_LINES), SIMPLE_RULE);
  const last = SIMPLE_RULE.test(line(count - 1)) ? count - 1 : count;
  if (rule < 0 || rule === last) return { head: [], rows: range(1, last) };
  // A row that goes on below begins with blanks, as its first column is empty.
  const rows = range(rule + 1, last).filter((index) => index === rule + 1 || /^\S/.test(line(index)));
  return { head: range(0, rule + 1), rows };
}

/** The directive with its options; of a list table that says so, the first row too. */
function directiveRows(count: number, line: LineText): TableRows {
  let options = 1;
  while (options < count && OPTION.test(line(options))) options++;
  const isList = !/csv-table/.test(line(0));
  const named = range(1, options).some((index) => /^\s+:header-rows:\s*[1-9]/.test(line(index)));
  const starts = range(options, count).filter((index) =>
    isList ? LIST_ROW.test(line(index)) : line(index).trim() !== '',
  );
  const body = named ? 1 : 0;
  const head = range(0, body < starts.length ? starts[body]! : options);
  const rows = starts.slice(body);
  return head.length > MAX_HEAD_LINES ? { head: [], rows } : { head: trimBlank(head, line), rows };
}

function trimBlank(head: number[], line: LineText): number[] {
  let end = head.length;
  while (end > 0 && line(head[end - 1]!).trim() === '') end--;
  return head.slice(0, end);
}

/** The first row is the head if it follows the top at once and a blank line follows it. */
function asciidocRows(count: number, line: LineText, top: number): TableRows {
  const blank = find(line, top + 1, count, /^\s*$/);
  const named = blank > top + 1 && blank - top <= MAX_HEAD_LINES;
  const first = named ? blank + 1 : top + 1;
  const last = line(count - 1) === line(top) ? count - 1 : count;
  const starts = range(first, last).filter((index) => /^\s*(?:[\d.+*<>^]*[a-z]?)?\|/.test(line(index)));
  // Where blank lines part the rows, a line that follows none is a cell of its row.
  const parted = starts.filter((index) => index === first || line(index - 1).trim() === '');
  const rows = parted.length > 1 ? parted : starts;
  return { head: named ? range(top, blank) : [], rows };
}
