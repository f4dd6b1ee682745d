/** Line and page numbers of spans, for citations: one pass over the text, then a binary search for each position. */

import type { Document, RawLines } from '../model/document.js';
import { countUpTo } from '../model/sorted.js';
import { isLineEnd } from './white.js';

const CR = 13;
const LF = 10;

/** Where each line begins. LF, CRLF and a lone CR each end one line. */
export function lineStarts(text: string): Uint32Array {
  const onlyLf = !text.includes('\r');
  let starts = new Uint32Array(16 + (text.length >> 5));
  let count = 1;
  for (let at = nextStart(text, 0, onlyLf); at > 0; at = nextStart(text, at, onlyLf)) {
    if (count === starts.length) {
      const grown = new Uint32Array(count * 2);
      grown.set(starts);
      starts = grown;
    }
    starts[count++] = at;
  }
  return starts.subarray(0, count);
}

/** Start of the line after the one that holds `at`; 0 if there is none. */
function nextStart(text: string, at: number, onlyLf: boolean): number {
  if (onlyLf) return text.indexOf('\n', at) + 1;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isLineEnd(code) && !(code === CR && text.charCodeAt(i + 1) === LF)) return i + 1;
  }
  return 0;
}

/** 1-based line of the character at `at`. */
export function lineAt(starts: Uint32Array, at: number): number {
  return countUpTo(starts, at);
}

/** 1-based lines of the first and the last character of each span: see ChunkColumns. Spans are not empty. */
export function lineSpans(
  { text, rawLines }: Pick<Document, 'text' | 'rawLines'>,
  start: Uint32Array,
  end: Uint32Array,
): { startLine: Uint32Array; endLine: Uint32Array } {
  const starts = lineStarts(text);
  const line = rawLines
    ? (at: number) => rawLineAt(rawLines, starts, at)
    : (at: number) => lineAt(starts, at);
  const [startLine, endLine] = [start.map(line), end.map((at) => line(at - 1))];
  // Readers put words that stray into a table behind it: such a chunk may end in an earlier line than it begins in.
  for (const [row, first] of startLine.entries())
    if (first > endLine[row]!) [startLine[row], endLine[row]] = [endLine[row]!, first];
  return { startLine, endLine };
}

function rawLineAt({ at: from, line, follows }: RawLines, starts: Uint32Array, at: number): number {
  const row = Math.max(0, lineAt(from, at) - 1);
  if (from.length === 0) return lineAt(starts, at);
  return line[row]! + (follows[row] === 1 ? lineAt(starts, at) - lineAt(starts, from[row]!) : 0);
}

/** 1-based page of each position; 0 where the document has no pages. */
export function pagesAt(pages: Uint32Array | undefined, positions: Uint32Array): Uint32Array {
  return pages === undefined ? new Uint32Array(positions.length) : positions.map((at) => lineAt(pages, at));
}
