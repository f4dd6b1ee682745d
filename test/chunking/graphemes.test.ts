import fc from 'fast-check';
import { expect, it } from 'vitest';
import { graphemeCeil, graphemeFloor } from '../../src/chunking/graphemes.js';
import { cpuMsOf } from '../cpu-time.js';
import { wildText } from './fixtures.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

it('finds the borders that segmenting the whole text finds', () => {
  fc.assert(
    fc.property(wildText, (text) => {
      const borders = [...segmenter.segment(text)].map((g) => g.index).concat(text.length);
      for (let at = 0; at <= text.length; at++) {
        expect(graphemeFloor(text, at)).toBe(borders.findLast((border) => border <= at));
        expect(graphemeCeil(text, at)).toBe(borders.find((border) => border >= at));
      }
    }),
    { numRuns: 300 },
  );
});

it('never parts flags, families, marks or CR LF', () => {
  expect(graphemeFloor('🇩🇪🇫🇷', 6)).toBe(4);
  expect(graphemeCeil('🇩🇪🇫🇷', 5)).toBe(8);
  expect(graphemeFloor('a👨‍👩‍👧‍👦b', 6)).toBe(1);
  expect(graphemeFloor('e\u0301', 1)).toBe(0);
  expect(graphemeFloor('a\r\nb', 2)).toBe(1);
  expect(graphemeFloor('x🙂', 2)).toBe(1);
});

it('is quick in a megabyte of marks', () => {
  const text = `a${'\u0301'.repeat(1_000_000)}`;
  const ms = cpuMsOf(() => {
    for (let at = 1000; at < 1_000_000; at += 10_000) graphemeFloor(text, at);
  });
  expect(ms).toBeLessThan(100);
});
