import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needsBlank, plainLetters } from '../../../src/documents/pdf/letters.js';

describe('plainLetters', () => {
  it.each([
    ['e\uFB03cient work\uFB02ow', 'efficient workflow'],
    ['\uFB00 \uFB01 \uFB04 \uFB05 \uFB06', 'ff fi ffl st st'],
    ['a\0b\u0007c', 'abc'],
    ['one\u00A0two\u2003three', 'one two three'],
    ['\uF0B7 item', '• item'],
    ['切り 離 す 2 つ', '切り離す 2 つ'],
    ['half \uD800', 'half \uFFFD'],
  ])('makes %j %j', (text, plain) => {
    expect(plainLetters(text)).toBe(plain);
  });

  it('leaves no ligature, no control and no half of a pair, and does so at once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = plainLetters(text);
        expect(plain).not.toMatch(/[\uFB00-\uFB06]|\p{Cc}/u);
        expect(plainLetters(plain)).toBe(plain);
      }),
    );
  });
});

it('puts a blank at a line end unless both sides are of a script without', () => {
  expect(needsBlank('word', 'next')).toBe(true);
  expect(needsBlank('的', '地')).toBe(false);
  expect(needsBlank('的', 'Linux')).toBe(true);
  expect(needsBlank('한국어', '문장')).toBe(true);
});
