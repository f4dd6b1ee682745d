/**
 * The exact token count of a chunk without tokenizing it again. Inside a piece-wise tokenized text (see TokenPieces) all
 * tokens of a slice are those of the text, but for two seams: at its beginning, where the lead stands before it and its
 * first piece may have lost its front; and at its end, where its last piece may have lost its rest. Only these are
 * counted again.
 */

import type { Tokenizer } from '../model/tokenizer.js';
import { type TokenMap, tokenIndex } from './token-map.js';
import { isWhite } from './white.js';

/** How much of the slice is looked at to find the first border that it shares with the text. */
const HEAD_CHARS = 48;

/** White space for tokenizers, but not for JavaScript. */
const NEXT_LINE = 0x85;

/** Tokens of `lead` and `text.slice(start, end)` as one text; undefined where only counting all of it can tell. */
export function countBySeams(
  text: string,
  map: TokenMap,
  tokenizer: Tokenizer,
  lead: string,
  start: number,
  end: number,
): number | undefined {
  if (map.first === undefined || tokenizer.pieces === undefined || !map.exact) return undefined;
  // The pieces of white space depend on whether any text follows.
  const last = text.charCodeAt(end - 1);
  if (isWhite(last) || last === NEXT_LINE) return undefined;
  const tail = tailPiece(map, start, end);
  if (tail === undefined) return undefined;
  const head = headOf(text, map, tokenizer.pieces, lead, start, tail.row);
  if (head === undefined) return undefined;
  const tailTokens = tail.isWhole ? 0 : tokenizer.count(text.slice(map.starts[tail.row]!, end));
  return head.tokens + (tail.row - head.row) + tailTokens;
}

/** The row up to which tokens are those of the text: that of `end` if a piece begins there, else of the last piece. */
function tailPiece(
  { starts, first }: TokenMap,
  start: number,
  end: number,
): { row: number; isWhole: boolean } | undefined {
  let row = tokenIndex({ starts }, end);
  if (row < starts.length && starts[row] === end && first![row] === 1) return { row, isWhole: true };
  row--;
  while (row >= 0 && starts[row]! >= start && first![row] === 0) row--;
  return row >= 0 && starts[row]! >= start ? { row, isWhole: false } : undefined;
}

/** The row from which on tokens are those of the text, and how many tokens there are before it. */
function headOf(
  text: string,
  map: TokenMap,
  piecesOf: NonNullable<Tokenizer['pieces']>,
  lead: string,
  start: number,
  tailRow: number,
): { row: number; tokens: number } | undefined {
  const { starts } = map;
  const first = map.first!;
  const startRow = tokenIndex(map, start);
  if (lead === '' && starts[startRow] === start && first[startRow] === 1) {
    return { row: startRow, tokens: 0 };
  }
  let reach = tokenIndex(map, start + HEAD_CHARS);
  while (reach < tailRow && first[reach] === 0) reach++;
  if (reach >= tailRow) return undefined;
  const head = piecesOf(lead + text.slice(start, starts[reach]!));
  const shift = start - lead.length;
  const sure = lastRowBefore(head.first, 2);
  for (let token = 0; token <= sure; token++) {
    const at = head.starts[token]! + shift;
    if (head.first[token] === 0 || at < start) continue;
    const row = tokenIndex(map, at);
    if (starts[row] === at && first[row] === 1) return { row, tokens: token };
  }
  return undefined;
}

/** The last row before the last `pieces` pieces, in which what follows may have a say; -1 if there is none. */
function lastRowBefore(first: Uint8Array, pieces: number): number {
  let left = pieces;
  for (let row = first.length - 1; row >= 0; row--) {
    if (first[row] === 1 && --left === 0) return row - 1;
  }
  return -1;
}
