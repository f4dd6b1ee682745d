/**
 * Where the tokens of a whole text lie, found by tokenizing it once. Every later question (how many tokens has this
 * span, where does the 200th token after here begin) is a binary search.
 */

import { countBelow } from '../model/sorted.js';
import type { Tokenizer, TokenPieces } from '../model/tokenizer.js';
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
  /** 1 where the token begins a piece (see TokenPieces); undefined where the tokenizer does not say. */
  readonly first: Uint8Array | undefined;
  /** False where a run without a border had to be cut, so that counts near that cut may be off by a few. */
  readonly exact: boolean;
}

/** Tokenizes `[from, to)` once. */
export function mapTokens(text: string, from: number, to: number, tokenizer: Tokenizer): TokenMap {
  return tokenizer.pieces ? mapPieces(text, from, to, tokenizer.pieces) : mapSpans(text, from, to, tokenizer);
}

/** Parts end where a piece does, so that all tokens are those of the whole text. */
function mapPieces(
  text: string,
  from: number,
  to: number,
  piecesOf: (text: string) => TokenPieces,
): TokenMap {
  const parts: TokenPieces[] = [];
  let exact = true;
  for (let at = from; at < to; ) {
    const end = to - at <= PART_CHARS ? to : codePointFloor(text, at + PART_CHARS);
    const { starts, first } = piecesOf(at === 0 && end === text.length ? text : text.slice(at, end));
    let count = starts.length;
    let next = end;
    if (end < to) {
      // What follows may have a say in the last two pieces: they are looked at again with it.
      const row = lastPieceBut(first, 1);
      if (row > 0 && starts[row]! > 0) {
        count = row;
        next = at + starts[row]!;
      } else exact = false;
    }
    if (at > 0) for (let i = 0; i < count; i++) starts[i] = starts[i]! + at;
    parts.push({ starts: starts.subarray(0, count), first: first.subarray(0, count) });
    at = next;
  }
  return {
    starts: joinUint32(parts.map((part) => part.starts)),
    first: joinUint8(parts.map((part) => part.first)),
    exact,
  };
}

/** Row of the piece before the last `after` ones; -1 if there are not so many. */
function lastPieceBut(first: Uint8Array, after: number): number {
  let left = after;
  for (let row = first.length - 1; row >= 0; row--) if (first[row] === 1 && left-- === 0) return row;
  return -1;
}

function mapSpans(text: string, from: number, to: number, tokenizer: Tokenizer): TokenMap {
  const parts: Uint32Array[] = [];
  let exact = true;
  for (let at = from; at < to; ) {
    const end = partEnd(text, at, to);
    if (end < to && !isPlainWhite(text.charCodeAt(end))) exact = false;
    const starts = tokenizer.spans(text.slice(at, end)).start;
    if (at > 0) for (let i = 0; i < starts.length; i++) starts[i] = starts[i]! + at;
    parts.push(starts);
    at = end;
  }
  return { starts: joinUint32(parts), first: undefined, exact };
}

function joinUint32(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function joinUint8(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
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
export function tokenIndex({ starts }: Pick<TokenMap, 'starts'>, at: number): number {
  return countBelow(starts, at);
}
