import { BlockKind } from '../model/document.js';
import { type CsvDialect, csvDialect, isHeader } from './csv-dialect.js';
import { CsvScanner } from './csv-records.js';
import { CsvWriter } from './csv-writer.js';
import { DroppedCount } from './dropped.js';
import type { ParsedText } from './parsed.js';
import { pipeCell, pipeRow, pipeRule } from './table-row.js';
import { readText } from './text.js';

/** Mean length of a row, and length of the head, in UTF-16 units, over which rows are written out as records. */
const MAX_ROW_LENGTH = 300;
const MAX_HEAD_LENGTH = 400;
/** Longest name of a column before a cell. */
const MAX_NAME_LENGTH = 80;
/** How many times the size of the file records may be. */
const MAX_GROWTH = 4;

/**
 * Delimited values (comma, semicolon, tab, bar; told by the rows) as text that reads by itself. Short rows become a
 * pipe table, of which chunkers repeat the head; rows that are long, or have a long head, become one block each below a
 * line of all names, with a line `column: value` for each cell that is not empty. A file without names for its columns
 * gets A, B, C. Lines above the table are prose. A quote that is never closed ends the table: from its row on the file
 * is prose, less that quote. Never throws; linear in the size.
 */
export function readCsv(source: string): ParsedText {
  const declared = /^sep=(.)(?:\r\n?|\n)/i.exec(source);
  const from = declared?.[0].length ?? 0;
  const dialect = csvDialect(source.slice(from), declared?.[1]);
  if (!dialect) return readText(source);
  const scanner = new CsvScanner(source, dialect.delimiter, from, declared ? 2 : 1);
  const writer = new CsvWriter();
  const dropped = new DroppedCount();
  if (declared) dropped.add('separator line', declared[0], false);
  writeRows(scanner, dialect, writer);
  if (scanner.broken) {
    const { at, rowAt, line } = scanner.broken;
    writer.rest(source.slice(rowAt, at) + source.slice(at + 1), line);
    dropped.add('quote that is never closed', '"', false);
  }
  return { ...writer.build(), ...dropped.build() };
}

function writeRows(scanner: CsvScanner, { columns, rows }: CsvDialect, writer: CsvWriter): void {
  // Rows of one cell above a table of several columns are its title and notes.
  const above = rows.findIndex((row) => row.filter((cell) => cell !== '').length !== 1);
  for (let row = 0; row < above; row++) {
    if (!scanner.next()) return;
    const start = writer.length;
    writer.line(oneLine(scanner.cells.find((cell) => cell !== '')!), scanner.cellLine[0]!);
    writer.block(start, BlockKind.prose);
  }
  writer.blank();
  if (!scanner.next()) return;
  const table = rows.slice(Math.max(0, above));
  const named = isHeader(table[0] ?? [], table[1] ?? []);
  const names = Array.from({ length: named ? scanner.cells.length : columns }, (_, i) => {
    return (named && oneLine(scanner.cells[i]!)) || letters(i);
  });
  const line = scanner.cellLine[0]!;
  const more = named ? scanner.next() : true;
  if (isLong(table)) writeRecords(scanner, { names, line, named }, more, writer);
  else writeTable(scanner, { names, line, named }, more, writer);
}

/** Whether a head that is repeated, or rows without a name before each cell, would read badly. */
function isLong([head, ...rows]: readonly string[][]): boolean {
  const length = (row: readonly string[]) => row.reduce((sum, cell) => sum + cell.length + 3, 0);
  if (head === undefined || rows.length === 0) return false;
  const sum = rows.reduce((all, row) => all + length(row), 0);
  return sum > MAX_ROW_LENGTH * rows.length || length(head) > MAX_HEAD_LENGTH;
}

/** Column names as spreadsheets have them: A to Z, AA, AB. */
function letters(column: number): string {
  const rest = Math.floor(column / 26) - 1;
  return (rest >= 0 ? letters(rest) : '') + String.fromCharCode(65 + (column % 26));
}

interface Head {
  /** One line each. */
  readonly names: readonly string[];
  readonly line: number;
  /** Whether the file has them; else they are ours. */
  readonly named: boolean;
}

/** Writes the scanner's row and those after it; `more` says that there is one. */
function writeTable(scanner: CsvScanner, head: Head, more: boolean, writer: CsvWriter): void {
  const start = writer.length;
  writer.line(pipeRow(head.names.map(pipeCell)), head.line, false);
  writer.line(pipeRule(head.names.length), head.line, false);
  for (let row = more; row; row = scanner.next()) {
    // Short rows stay short: filling them would make a file of wide heads and short rows many times its size.
    writer.line(pipeRow(scanner.cells.map(pipeCell)), scanner.cellLine[0]!);
  }
  writer.block(start, BlockKind.table);
}

/** The same as records, below one line that names all columns, whether they hold anything or not. */
function writeRecords(scanner: CsvScanner, head: Head, more: boolean, writer: CsvWriter): void {
  if (head.named) {
    const start = writer.length;
    writer.line(pipeRow(head.names.map(pipeCell)), head.line);
    writer.block(start, BlockKind.prose);
  }
  const names = head.names.map((name) => (name.length <= MAX_NAME_LENGTH ? name : `${shorten(name)}…`));
  for (let row = more; row; row = scanner.next()) {
    writer.blank();
    // Where rows turn out to be short after all, their names would outgrow them.
    if (writer.length > MAX_GROWTH * scanner.position) {
      writeTable(scanner, head, true, writer);
      return;
    }
    writeRecord(scanner, names, writer);
  }
}

function writeRecord({ cells, cellLine }: CsvScanner, names: readonly string[], writer: CsvWriter): void {
  const start = writer.length;
  for (const [i, cell] of cells.entries()) {
    if (cell === '') continue;
    // A cell of several lines goes on line by line; cells of one line share the line of their row.
    const [first, ...others] = cell.split('\n');
    writer.line(`${names[i] ?? letters(i)}: ${first}`, cellLine[i]!, others.length > 0);
    for (const [offset, text] of others.entries()) writer.line(text, cellLine[i]! + offset + 1);
  }
  writer.block(start, BlockKind.prose);
}

/** Never ends in half a surrogate pair. */
function shorten(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
