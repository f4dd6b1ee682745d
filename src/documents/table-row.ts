/** Columns up to which short rows are filled with empty cells: rows times columns must not outgrow the source. */
const MAX_FILLED_COLUMNS = 16;

/** A row of a pipe table; cells must be single lines. Missing cells up to `columns` are empty. */
export function pipeRow(cells: readonly string[], columns = 0): string {
  const length = Math.max(cells.length, Math.min(columns, MAX_FILLED_COLUMNS));
  let row = '|';
  for (let i = 0; i < length; i++) row += ` ${cells[i] ?? ''} |`;
  return row;
}

/** The line of dashes below a pipe table's head. */
export function pipeRule(columns: number): string {
  return `|${' --- |'.repeat(columns)}`;
}

/** What a cell cannot hold as it stands: bars, line ends, runs of blanks, white space that is no blank. */
const UNFIT = /\||[^\S ]| {2}|^ | $/;

/** A text as the content of a pipe table's cell: one line, its bars escaped. */
export function pipeCell(text: string): string {
  return UNFIT.test(text) ? text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|') : text;
}
