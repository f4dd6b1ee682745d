/** Where prose is best cut: at a paragraph, else a sentence, else a line, else a word. */

import { graphemeCeil, graphemeFloor } from './graphemes.js';
import { isLineEnd, isWhite, skipWhite } from './white.js';

const CR = 13;
const LF = 10;

const RANK_NONE = 0;
const RANK_BORDER = 1;
const RANK_WORD = 2;
const RANK_LINE = 3;
const RANK_SENTENCE = 4;
const RANK_PARAGRAPH = 5;

/** How far back a border of each rank is worth going, as a share of the window. Better borders may cost more room. */
const MIN_FILL = [1, 0.75, 0.5, 0.7, 0.65, 0.5] as const;

const SENTENCE_ENDS = new Set([...'.!?…'].map((c) => c.charCodeAt(0)));
const WIDE_SENTENCE_ENDS = new Set([...'。！？｡'].map((c) => c.charCodeAt(0)));
const WIDE_PAUSES = new Set([...'，、；：」』）】》'].map((c) => c.charCodeAt(0)));
const CLOSERS = new Set([...'"\')]”’»」』）'].map((c) => c.charCodeAt(0)));

/** Scripts from radicals to Hangul, written without spaces or in syllables. */
const FIRST_UNSPACED = 0x2e80;
const LAST_UNSPACED = 0xdfff;

/** A letter or digit of a script that puts spaces between words. */
function isWordy(code: number): boolean {
  if (code < 0x80) {
    return (
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
    );
  }
  return (
    code >= 0xc0 &&
    !(code >= 0x2000 && code <= 0x206f) &&
    !(code >= 0x2e80 && code <= 0xdfff) &&
    code < 0xfe30
  );
}

/** Rank of the border before `at`, where white space ends at `at`. */
function rankAfterWhite(text: string, at: number, floor: number): number {
  let lines = 0;
  let i = at;
  while (i > floor && isWhite(text.charCodeAt(i - 1))) {
    i--;
    const code = text.charCodeAt(i);
    if (code === LF || (code === CR && text.charCodeAt(i + 1) !== LF)) lines++;
  }
  if (lines >= 2) return RANK_PARAGRAPH;
  let q = i;
  while (q > floor && CLOSERS.has(text.charCodeAt(q - 1))) q--;
  if (q > floor && SENTENCE_ENDS.has(text.charCodeAt(q - 1))) return RANK_SENTENCE;
  return lines === 1 ? RANK_LINE : RANK_WORD;
}

/** White space behind a cut is looked through this far for a paragraph border. */
const MAX_GAP_CHARS = 256;

function rankAt(text: string, at: number, floor: number): number {
  const previous = text.charCodeAt(at - 1);
  const next = text.charCodeAt(at);
  if (isWhite(next)) return rankAfterWhite(text, skipWhite(text, at, at + MAX_GAP_CHARS), floor);
  if (isWhite(previous)) return rankAfterWhite(text, at, floor);
  if (WIDE_SENTENCE_ENDS.has(previous)) return CLOSERS.has(next) ? RANK_NONE : RANK_SENTENCE;
  if (WIDE_PAUSES.has(previous)) return RANK_WORD;
  if (isWordy(previous) && isWordy(next)) return RANK_NONE;
  return RANK_BORDER;
}

/**
 * The best place to end a window that begins at `start` and may reach to `limit` (both UTF-16 positions). The answer
 * is in `(start, limit]`, except that one grapheme is never cut here: where even the first one ends behind `limit`,
 * the answer is its end.
 */
export function chooseCut(text: string, start: number, limit: number): number {
  const width = limit - start;
  const floor = start + (width >> 1);
  let best = RANK_NONE;
  let bestAt = limit;
  for (let at = limit; at > floor; at--) {
    // A run of white space counts once, at its later end.
    if (at < limit && isWhite(text.charCodeAt(at)) && isWhite(text.charCodeAt(at - 1))) continue;
    const rank = rankAt(text, at, start);
    if (rank <= best || at - start < width * MIN_FILL[rank]!) continue;
    best = rank;
    bestAt = at;
    if (rank === RANK_PARAGRAPH) break;
  }
  const cut = graphemeFloor(text, bestAt);
  return cut > start ? cut : graphemeCeil(text, start + 1);
}

/** Words longer than this are not looked through for their beginning. */
const MAX_WORD_CHARS = 64;

/**
 * The start of the word that holds `at`: behind white space if that is near, else behind a character that no word
 * holds. `at` itself where neither lies behind `after`.
 */
export function wordStart(text: string, at: number, after: number): number {
  if (isWhite(text.charCodeAt(at))) return skipWhite(text, at, text.length);
  const floor = Math.max(after, at - MAX_WORD_CHARS);
  let border = at;
  for (let i = at; i > floor; i--) {
    const previous = text.charCodeAt(i - 1);
    if (isWhite(previous)) return i;
    if (border === at && !(isWordy(previous) && isWordy(text.charCodeAt(i)))) border = i;
    // Between Han or kana every border is as good as any.
    if (previous >= FIRST_UNSPACED && previous <= LAST_UNSPACED) return border;
  }
  return border;
}

/** True if the line that ends before `at` is blank: a border that code and lists are best cut at. */
export function followsBlankLine(text: string, at: number): boolean {
  let i = at;
  let lines = 0;
  while (i > 0 && isWhite(text.charCodeAt(i - 1))) {
    i--;
    const code = text.charCodeAt(i);
    if (isLineEnd(code) && !(code === CR && text.charCodeAt(i + 1) === LF)) lines++;
    if (lines === 2) return true;
  }
  return false;
}
