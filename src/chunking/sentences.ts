/** Where sentences begin and end, by their marks alone: no dictionary of abbreviations, because nothing is lost by a cut too many. */

import { graphemeCeil, graphemeFloor } from './graphemes.js';
import type { Span } from './scope.js';
import { isWhite, nextLine, skipWhite, trimEnd } from './white.js';

const ENDS = new Set([...'.!?…'].map((mark) => mark.charCodeAt(0)));
const WIDE_ENDS = new Set([...'。！？｡'].map((mark) => mark.charCodeAt(0)));
const CLOSERS = new Set([...'"\')]”’»」』）'].map((mark) => mark.charCodeAt(0)));

/** A run without an end of sentence is cut here, so that none is longer than what a model reads at once. */
const MAX_SENTENCE_CHARS = 2000;

/** The sentences of `[from, to)`, without the white space between them. A blank line ends one, too. */
export function findSentences(text: string, from: number, to: number): Span[] {
  const sentences: Span[] = [];
  let start = skipWhite(text, from, to);
  while (start < to) {
    const end = sentenceEnd(text, start, Math.min(to, start + MAX_SENTENCE_CHARS), to);
    sentences.push({ start, end: trimEnd(text, start, end) });
    start = skipWhite(text, end, to);
  }
  return sentences;
}

function sentenceEnd(text: string, start: number, furthest: number, to: number): number {
  let lastSpace = furthest;
  for (let at = start + 1; at < furthest; at++) {
    const code = text.charCodeAt(at);
    if (isWhite(code)) {
      if (endsSentence(text, start, at) || startsBlankLine(text, at, to)) return at;
      lastSpace = at;
    } else if (WIDE_ENDS.has(text.charCodeAt(at - 1)) && !WIDE_ENDS.has(code) && !CLOSERS.has(code)) {
      if (graphemeFloor(text, at) === at) return at;
    }
  }
  if (furthest === to || lastSpace < furthest) return furthest === to ? to : lastSpace;
  const cut = graphemeFloor(text, furthest);
  return cut > start ? cut : Math.min(to, graphemeCeil(text, start + 1));
}

function endsSentence(text: string, start: number, at: number): boolean {
  let i = at;
  while (i > start && CLOSERS.has(text.charCodeAt(i - 1))) i--;
  const last = text.charCodeAt(i - 1);
  return ENDS.has(last) || WIDE_ENDS.has(last);
}

function startsBlankLine(text: string, at: number, to: number): boolean {
  const next = nextLine(text, at, to);
  if (trimEnd(text, at, next) > at) return false;
  const after = nextLine(text, next, to);
  return next < to && trimEnd(text, next, after) === next;
}
