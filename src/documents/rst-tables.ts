import type { IndentedLines } from './indented-lines.js';

const GRID_TOP = /^\+-[-+]+-\+$/;
const GRID_LINE = /^[+|]/;
const SIMPLE_BORDER = /^=+(?: +=+)+$/;
const SIMPLE_RULE = /^=[= ]*$/;

/** End of the grid or simple table that begins at the line; undefined where none does. */
export function rstTableEnd(lines: IndentedLines, line: number, to: number): number | undefined {
  const first = lines.content(line);
  if (GRID_TOP.test(first)) return gridEnd(lines, line, to);
  return SIMPLE_BORDER.test(first) ? simpleEnd(lines, line, to) : undefined;
}

function gridEnd(lines: IndentedLines, line: number, to: number): number {
  const column = lines.indent[line]!;
  let end = line + 1;
  while (end < to && lines.indent[end] === column && GRID_LINE.test(lines.content(end))) end++;
  return end;
}

/** Up to the second border below the top, or the first that a blank line follows. Without one it is no table. */
function simpleEnd(lines: IndentedLines, line: number, to: number): number | undefined {
  let borders = 0;
  for (let at = line + 1; at < to; at++) {
    if (lines.indent[at]! >= 0 && lines.indent[at]! < lines.indent[line]!) return undefined;
    if (!SIMPLE_RULE.test(lines.content(at))) continue;
    borders++;
    if (borders === 2 || at + 1 >= to || lines.indent[at + 1]! < 0) return at + 1;
  }
  return undefined;
}
