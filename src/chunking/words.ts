/**
 * Windows of words. With windows of w words that share o, every span of at most o + 1 words lies whole in some window;
 * N words make ceil((N - o) / (w - o)) windows (1 where N is at most w), and cost about w / (w - o) times their number.
 *
 * A window is never cut to fit the embedder, because that would break this promise: over the limit it is flagged,
 * embedded by parts and pooled. So that no window can grow without end, a run without white space counts as a word for
 * every MAX_WORD_CHARS of it.
 */

import { graphemeCeil, graphemeFloor } from './graphemes.js';
import type { Meter } from './meter.js';
import type { Piece } from './piece.js';
import { isWhite, skipWhite } from './white.js';
import type { LeadAt } from './windows.js';

/** In UTF-16 units; WordPiece doesn't read longer words either. */
const MAX_WORD_CHARS = 100;

export interface WordSizes {
  readonly limit: number;
  readonly overlap: number;
}

/** Cuts `[from, to)`. A span without words gives no window; no window lies wholly inside the one before. */
export function cutWords(
  meter: Meter,
  from: number,
  to: number,
  { limit, overlap }: WordSizes,
  leadAt: LeadAt,
): Piece[] {
  const { starts, ends } = findWords(meter.text, from, to);
  const pieces: Piece[] = [];
  for (let first = 0; first < starts.length; first += limit - overlap) {
    const last = Math.min(first + limit, starts.length) - 1;
    const [start, end] = [starts[first]!, ends[last]!];
    const lead = leadAt(start);
    const tokens = meter.measure(lead, start, end);
    pieces.push({ start, end, lead: lead.text, tokens, overLimit: tokens > meter.limitTokens });
    if (last === starts.length - 1) break;
  }
  return pieces;
}

/**
 * Where the words of `[from, to)` lie. A word is a run without white space; of Han and kana, which are written without
 * any, each character is one, with the punctuation behind it.
 */
export function findWords(text: string, from: number, to: number): { starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = skipWhite(text, from, to); at < to; ) {
    let end = wordEnd(text, at, to);
    if (end - at > MAX_WORD_CHARS) {
      const cut = graphemeFloor(text, at + MAX_WORD_CHARS);
      end = Math.min(end, cut > at ? cut : graphemeCeil(text, at + 1));
    }
    starts.push(at);
    ends.push(end);
    at = skipWhite(text, end, to);
  }
  return { starts, ends };
}

/** The end of the word at `at`, or a position more than MAX_WORD_CHARS behind it. */
function wordEnd(text: string, at: number, to: number): number {
  const furthest = Math.min(to, at + MAX_WORD_CHARS + 1);
  for (let end = at + 1; end < furthest; end++) {
    const code = text.charCodeAt(end);
    if (isWhite(code)) return end;
    const isBorder = isUnspaced(code) || (isUnspaced(text.charCodeAt(end - 1)) && isLetter(code));
    if (isBorder && graphemeFloor(text, end) === end) return end;
  }
  return furthest;
}

/** Han and kana, without their punctuation; a high surrogate stands for the Han beyond the basic plane. */
function isUnspaced(code: number): boolean {
  if (code < 0x2e80) return false;
  return (
    (code <= 0x9fff && (code < 0x3000 || code > 0x3040)) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xd840 && code <= 0xd888)
  );
}

function isLetter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    (code >= 0xc0 && code < 0x2000)
  );
}
