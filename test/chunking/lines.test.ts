import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineSpans, pagesAt } from '../../src/chunking/lines.js';

const spans = (text: string, start: number[], end: number[]) => {
  const { startLine, endLine } = lineSpans({ text }, Uint32Array.from(start), Uint32Array.from(end));
  return [[...startLine], [...endLine]];
};

it('counts LF, CRLF and lone CR as one line end each (C12)', () => {
  for (const ending of ['\n', '\r\n', '\r']) {
    const text = ['one', 'two', '', 'four'].join(ending);
    const four = text.indexOf('four');
    expect(spans(text, [0, four], [text.length, text.length])).toEqual([
      [1, 4],
      [4, 4],
    ]);
  }
});

it('gives the line of the last character, not of the one behind it', () => {
  expect(spans('a\nb\n', [0, 2], [2, 4])).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

const anyLine = fc.constantFrom('a', '\n', '\r\n', '\r');
const lineFeeds = fc.constantFrom('a', '\n');

it('agrees with counting by hand', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(anyLine), fc.array(lineFeeds)), fc.nat(), (parts, seed) => {
      const text = `${parts.join('')}z`;
      const at = seed % text.length;
      const before = text.slice(0, at).match(/\r\n|\r|\n/g)?.length ?? 0;
      const inside = text[at - 1] === '\r' && text[at] === '\n' ? 1 : 0;
      expect(spans(text, [at], [at + 1])[0]).toEqual([1 + before - inside]);
    }),
  );
});

it('follows the raw file where the reader knows it', () => {
  const text = 'Title\n\ncell a\ncell b\nafter';
  const rawLines = {
    at: Uint32Array.of(0, 7, 21),
    line: Uint32Array.of(4, 10, 30),
    follows: Uint8Array.of(0, 1, 0),
  };
  const { startLine, endLine } = lineSpans(
    { text, rawLines },
    Uint32Array.of(0, 7, 14, 21),
    Uint32Array.of(5, 20, 26, 26),
  );
  expect([...startLine]).toEqual([4, 10, 11, 30]);
  expect([...endLine]).toEqual([4, 11, 30, 30]);
});

it('lets no span end before it begins where a reader has moved words', () => {
  const rawLines = { at: Uint32Array.of(0, 4), line: Uint32Array.of(9, 3), follows: new Uint8Array(2) };
  const { startLine, endLine } = lineSpans(
    { text: 'row\nstray', rawLines },
    Uint32Array.of(0),
    Uint32Array.of(9),
  );
  expect([startLine[0], endLine[0]]).toEqual([3, 9]);
});

it('finds the page of a position, and none where there are no pages', () => {
  expect([...pagesAt(Uint32Array.of(0, 5, 5, 9), Uint32Array.of(0, 4, 5, 8, 9, 50))]).toEqual([
    1, 1, 3, 3, 4, 4,
  ]);
  expect([...pagesAt(undefined, Uint32Array.of(0, 7))]).toEqual([0, 0]);
});
