/**
 * Token windows over a span of text: what plain text is cut into, and what every over-long block falls back to.
 *
 * What holds for any text, limit and overlap:
 *  - a window's tokens are those of its slice encoded again, with its lead; they are at most the limit, unless a single
 *    code point is over it (`overLimit`);
 *  - starts and ends rise strictly, so it terminates, and no window lies wholly inside the one before;
 *  - the windows together cover all text of the span that is not white space. White space between two windows may
 *    belong to either or to none; a window never begins or ends with it, but for the indentation of its first line;
 *  - no cut splits a surrogate pair; none splits a grapheme unless that grapheme alone is over the limit;
 *  - neighbours share at least `overlapTokens` tokens (rounded back to the start of a word), unless the earlier window
 *    is itself shorter than that, or the shared text would leave no room for anything new.
 */

import { chooseCut, wordStart } from './cuts.js';
import { codePointCeil, codePointFloor, graphemeFloor } from './graphemes.js';
import type { Lead, Meter } from './meter.js';
import type { Piece } from './piece.js';
import { skipWhite, trimEnd, trimStart } from './white.js';

/** What stands before a window that begins at `start`. */
export type LeadAt = (start: number) => Lead;

/** Cuts `[from, to)` into windows. A span without text gives none. */
export function cutWindows(
  meter: Meter,
  from: number,
  to: number,
  overlapTokens: number,
  leadAt: LeadAt,
): Piece[] {
  const { text } = meter;
  const last = trimEnd(text, from, to);
  const windows: Piece[] = [];
  let start = trimStart(text, from, last);
  while (start < last) {
    let window = fitWindow(meter, leadAt(start), start, last);
    const previous = windows.at(-1);
    if (previous !== undefined && window.end <= previous.end) {
      // The shared text filled the window: go on without it.
      start = trimStart(text, previous.end, last);
      window = fitWindow(meter, leadAt(start), start, last);
    }
    windows.push(window);
    if (window.end >= last) break;
    start = overlapStart(meter, window, last, overlapTokens);
  }
  return windows;
}

/**
 * Cuts `[from, to)` where `from` may lie in what is shared with `previous`: if that fills the first window, the cutting
 * goes on without it.
 */
export function cutWindowsAfter(
  previous: { readonly end: number } | undefined,
  meter: Meter,
  from: number,
  to: number,
  overlapTokens: number,
  leadAt: LeadAt,
): Piece[] {
  const windows = cutWindows(meter, from, to, overlapTokens, leadAt);
  if (previous === undefined || windows[0] === undefined || windows[0].end > previous.end) return windows;
  return cutWindows(meter, Math.max(from, previous.end), to, overlapTokens, leadAt);
}

/** Where the window after `previous` begins so that both share `overlapTokens`; behind `previous.start` in any case. */
export function overlapStart(
  meter: Meter,
  previous: { readonly start: number; readonly end: number },
  to: number,
  overlapTokens: number,
): number {
  const { text } = meter;
  const fresh = trimStart(text, previous.end, to);
  if (overlapTokens <= 0) return fresh;
  const at = meter.retreat(previous.end, overlapTokens);
  for (const candidate of [wordStart(text, at, previous.start), at]) {
    const start = graphemeFloor(text, candidate);
    if (start > previous.start && start < previous.end) return start;
  }
  return fresh;
}

/** The longest good window that begins at `start`; its own start may move past indentation that leaves no room. */
function fitWindow(meter: Meter, lead: Lead, start: number, last: number): Piece {
  const solid = skipWhite(meter.text, start, last);
  if (solid > start) {
    const indented = grow(meter, lead, start, solid, last);
    // Indentation may not cost the character behind it its other half.
    const isWhole = graphemeFloor(meter.text, indented.end) === indented.end;
    if (indented.tokens <= meter.limitTokens && isWhole) return indented;
  }
  return grow(meter, lead, solid, solid, last);
}

/** `solid` is the first position at or after `start` that isn't white: the window reaches behind it. */
function grow(meter: Meter, lead: Lead, start: number, solid: number, last: number): Piece {
  const { text, limitTokens } = meter;
  const reach = Math.min(last, solid + meter.maxChars, meter.advance(start, meter.room(lead), last));
  let end = reach >= last ? last : chooseCut(text, solid, Math.max(reach, solid + 1));
  for (let attempt = 0; ; attempt++) {
    end = trimEnd(text, solid + 1, Math.min(end, last));
    const tokens = meter.measure(lead, start, end);
    if (tokens <= limitTokens) return { start, end, lead: lead.text, tokens, overLimit: false };
    const room = Math.max(0, limitTokens - lead.tokens) / Math.max(1, tokens - lead.tokens);
    const smaller = shrink(text, solid, end, Math.min(room, 0.95) * 0.9 ** attempt);
    if (smaller >= end) return { start, end, lead: lead.text, tokens, overLimit: true };
    end = smaller;
  }
}

/** A cut before `end` at about `share` of the width; `end` itself once a single code point is left. */
function shrink(text: string, solid: number, end: number, share: number): number {
  const cut = chooseCut(text, solid, solid + Math.max(1, Math.floor((end - solid) * share)));
  if (cut < end) return cut;
  // One grapheme is over the limit by itself: cut between its code points.
  const half = codePointFloor(text, solid + ((end - solid) >> 1));
  return half > solid ? half : codePointCeil(text, solid + 1);
}
