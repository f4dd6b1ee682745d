/**
 * Where the tokens of a whole text lie, found by tokenizing it once. Every later question (how many tokens has this
 * span, where does the 200th token after here begin) is a binary search.
 */

import type { Tokenizer } from '../model/tokenizer.js';
import { codePointFloor } from './graphemes.js';
import { isPlainWhite } from './white.js';

/**
 * Text goes to the tokenizer in parts of at most this many UTF-16 units: tokenizers keep hundreds of bytes a token
 * while they work, and a file of 50 MB must not cost gigabytes.
 */
const PART_CHARS = 1 << 17;

export interface TokenMap {
  /** UTF-16 position at which each token begins, ascending. */
  readonly starts: Uint32Array;
  /** False where a run without white space had to be cut, so that counts near that cut may be off by a few. */
  readonly exact: boolean;
}

/** Tokenizes `[from, to)` once. */
export function mapTokens(text: string, from: number, to: number, tokenizer: Tokenizer): TokenMap {
  const parts: Uint32Array[] = [];
  let total = 0;
  let exact = true;
  for (let at = from; at < to; ) {
    const end = partEnd(text, at, to);
    if (end < to && !isPlainWhite(text.charCodeAt(end))) exact = false;
    const starts = tokenizer.spans(text.slice(at, end)).start;
    for (let i = 0; i < starts.length; i++) starts[i] = starts[i]! + at;
    parts.push(starts);
    total += starts.length;
    at = end;
  }
  if (parts.length === 1) return { starts: parts[0]!, exact };
  const starts = new Uint32Array(total);
  let row = 0;
  for (const part of parts) {
    starts.set(part, row);
    row += part.length;
  }
  return { starts, exact };
}

/** Before the last white space of the part, so that no word is torn; anywhere if the part has none. */
function partEnd(text: string, at: number, to: number): number {
  if (to - at <= PART_CHARS) return to;
  const furthest = at + PART_CHARS;
  for (let end = furthest; end > at + PART_CHARS / 2; end--) {
    if (isPlainWhite(text.charCodeAt(end)) && !isPlainWhite(text.charCodeAt(end - 1))) return end;
  }
  return codePointFloor(text, furthest);
}

/** Index of the first token that begins at or after `at`. */
export function tokenIndex(map: TokenMap, at: number): number {
  const { starts } = map;
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
