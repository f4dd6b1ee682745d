/** Line numbers of spans, for citations: one pass over the text, then a binary search for each position. */

import { isLineEnd } from './white.js';

const CR = 13;
const LF = 10;

/** Where each line begins. LF, CRLF and a lone CR each end one line. */
export function lineStarts(text: string): Uint32Array {
  let starts = new Uint32Array(1 + (text.length >> 5));
  let count = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isLineEnd(code) || (code === CR && text.charCodeAt(i + 1) === LF)) continue;
    if (count === starts.length) {
      const grown = new Uint32Array(count * 2);
      grown.set(starts);
      starts = grown;
    }
    starts[count++] = i + 1;
  }
  return starts.subarray(0, count);
}

/** 1-based line of the character at `at`. */
export function lineAt(starts: Uint32Array, at: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 1-based lines of the first and the last character of each span. Spans are not empty. */
export function lineSpans(
  text: string,
  start: Uint32Array,
  end: Uint32Array,
): { startLine: Uint32Array; endLine: Uint32Array } {
  const starts = lineStarts(text);
  return {
    startLine: start.map((at) => lineAt(starts, at)),
    endLine: end.map((at) => lineAt(starts, at - 1)),
  };
}
