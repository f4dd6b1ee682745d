/** White space and line borders, by code unit: the same set as `\s` in a regular expression, without the call. */

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;

export function isWhite(code: number): boolean {
  if (code <= SPACE) return code === SPACE || (code >= TAB && code <= CR);
  if (code < 0xa0) return false;
  return (
    code === 0xa0 ||
    code === 0xfeff ||
    code === 0x3000 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x1680
  );
}

/** White space that every tokenizer knows as such; the exotic kinds are dropped by some and kept by others. */
export function isPlainWhite(code: number): boolean {
  return code === SPACE || code === LF || code === CR || code === TAB;
}

export function isLineEnd(code: number): boolean {
  return code === LF || code === CR;
}

/** First position in `[at, end]` that holds no white space; `end` if there is none. */
export function skipWhite(text: string, at: number, end: number): number {
  let i = at;
  while (i < end && isWhite(text.charCodeAt(i))) i++;
  return i;
}

/** Last position in `[start, at]` that follows a character which is not white; `start` if there is none. */
export function trimEnd(text: string, start: number, at: number): number {
  let i = at;
  while (i > start && isWhite(text.charCodeAt(i - 1))) i--;
  return i;
}

/**
 * Where a chunk begins: blank lines are passed over, but the indentation of the first line with text stays, because
 * code and nested lists mean something else without it.
 */
export function trimStart(text: string, at: number, end: number): number {
  const solid = skipWhite(text, at, end);
  let i = solid;
  while (i > at && !isLineEnd(text.charCodeAt(i - 1))) i--;
  const atLineStart = i === 0 || isLineEnd(text.charCodeAt(i - 1));
  // Indentation longer than any code's is padding: keeping it could fill a whole window with nothing.
  return atLineStart && solid - i <= MAX_INDENT_CHARS ? i : solid;
}

const MAX_INDENT_CHARS = 128;

/** Start of the line after the one that holds `at`; `end` if the line is the last before `end`. LF, CRLF and CR. */
export function nextLine(text: string, at: number, end: number): number {
  let i = at;
  while (i < end && !isLineEnd(text.charCodeAt(i))) i++;
  if (i >= end) return end;
  return text.charCodeAt(i) === CR && i + 1 < end && text.charCodeAt(i + 1) === LF ? i + 2 : i + 1;
}
