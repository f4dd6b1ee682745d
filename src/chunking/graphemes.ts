/**
 * Borders between characters as a reader sees them (grapheme clusters): no cut may fall into a surrogate pair, a
 * letter with its combining marks, a flag or a family emoji. `Intl.Segmenter` knows the rules but is slow, so it is
 * asked only about the few characters round a cut, and not at all between plain letters.
 */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How far to look for a character where segmentation can start; a longer run of marks or flags is cut as it comes. */
const MAX_LOOK_BACK_CHARS = 1024;
/** How far to look for a character's end; where every cut is in one long cluster, each would look through all of it. */
const MAX_LOOK_AHEAD_CHARS = 1024;

/**
 * Characters that never join a neighbour of the same set: Latin, Han, kana and Hangul syllables. CR is left out
 * because CR LF is one cluster.
 */
function isPlain(code: number): boolean {
  if (code < 0x300) return code !== 0x0d;
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fa) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x3001 && code <= 0x3029) ||
    (code >= 0xff01 && code <= 0xff60)
  );
}

/** True between the two halves of a surrogate pair. */
export function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const next = text.charCodeAt(at);
  if (next < 0xdc00 || next > 0xdfff) return false;
  const previous = text.charCodeAt(at - 1);
  return previous >= 0xd800 && previous <= 0xdbff;
}

/** Largest code point border at or before `at`. */
export function codePointFloor(text: string, at: number): number {
  return splitsPair(text, at) ? at - 1 : at;
}

/** Smallest code point border at or after `at`. */
export function codePointCeil(text: string, at: number): number {
  return splitsPair(text, at) ? at + 1 : at;
}

function isPlainBorder(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  return isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at));
}

/** A position at or before `at - 1` from which segmentation finds the true borders: plain characters carry no state. */
function anchorBefore(text: string, at: number): number {
  const floor = Math.max(0, at - MAX_LOOK_BACK_CHARS);
  let i = at - 1;
  while (i > floor && !isPlain(text.charCodeAt(i))) i--;
  return codePointFloor(text, i);
}

/** Largest grapheme border at or before `at`. */
export function graphemeFloor(text: string, at: number): number {
  if (isPlainBorder(text, at)) return at;
  const anchor = anchorBefore(text, at);
  // A border depends on what stands before it and on one code point behind it.
  const cluster = segmenter.segment(text.slice(anchor, at + 2)).containing(at - anchor);
  return cluster === undefined ? at : anchor + cluster.index;
}

/** Smallest grapheme border at or after `at`. */
export function graphemeCeil(text: string, at: number): number {
  if (isPlainBorder(text, at)) return at;
  const anchor = anchorBefore(text, at);
  for (let reach = 64; ; reach *= 4) {
    const stop = Math.min(text.length, at + reach);
    const cluster = segmenter.segment(text.slice(anchor, stop)).containing(at - anchor);
    if (cluster === undefined || anchor + cluster.index === at) return at;
    const end = anchor + cluster.index + cluster.segment.length;
    if (end < stop || stop === text.length) return end;
    if (reach >= MAX_LOOK_AHEAD_CHARS) return codePointFloor(text, stop);
  }
}
