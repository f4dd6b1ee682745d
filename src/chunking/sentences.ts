/** Where sentences begin and end, by their marks alone: no dictionary of abbreviations, because nothing is lost by a cut too many. */

import { graphemeCeil, graphemeFloor } from './graphemes.js';
import type { Span } from './scope.js';
import { isLineEnd, isWhite, nextLine, skipWhite, trimEnd } from './white.js';

const ENDS = new Set([...'.!?…'].map((mark) => mark.charCodeAt(0)));
const WIDE_ENDS = new Set([...'。！？｡'].map((mark) => mark.charCodeAt(0)));
const CLOSERS = new Set([...'"\')]”’»」』）'].map((mark) => mark.charCodeAt(0)));

const MAX_CLOSERS = 8;

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
      const next = skipWhite(text, at, to);
      if (endsSentence(text, start, at) || holdsBlankLine(text, at, next)) return at;
      lastSpace = at;
      at = next - 1;
    } else if (!WIDE_ENDS.has(code) && !CLOSERS.has(code) && endsWideSentence(text, start, at)) {
      if (graphemeFloor(text, at) === at) return at;
    }
  }
  if (furthest === to || lastSpace < furthest) return furthest === to ? to : lastSpace;
  const cut = graphemeFloor(text, furthest);
  return cut > start ? cut : Math.min(to, graphemeCeil(text, start + 1));
}

function endsSentence(text: string, start: number, at: number): boolean {
  const last = beforeClosers(text, start, at);
  return ENDS.has(last) || WIDE_ENDS.has(last);
}

/** These marks need no space behind them. */
function endsWideSentence(text: string, start: number, at: number): boolean {
  return WIDE_ENDS.has(beforeClosers(text, start, at));
}

/** The last character before `at` that closes no bracket or quote. */
function beforeClosers(text: string, start: number, at: number): number {
  const floor = Math.max(start, at - MAX_CLOSERS);
  let i = at;
  while (i > floor && CLOSERS.has(text.charCodeAt(i - 1))) i--;
  return text.charCodeAt(i - 1);
}

/** Two line ends in white space. */
function holdsBlankLine(text: string, from: number, to: number): boolean {
  const second = nextLine(text, from, to);
  return second < to && (nextLine(text, second, to) < to || isLineEnd(text.charCodeAt(to - 1)));
}
