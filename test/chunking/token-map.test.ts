import { expect, it } from 'vitest';
import { mapTokens, tokenIndex } from '../../src/chunking/token-map.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

it('gives long text to the tokenizer in parts, without tearing words', () => {
  const text = 'lorem ipsum dolor '.repeat(20_000);
  const sizes: number[] = [];
  const spy = {
    ...wordTokenizer,
    spans: (part: string) => {
      sizes.push(part.length);
      return wordTokenizer.spans(part);
    },
  };
  const map = mapTokens(text, 0, text.length, spy);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1 << 17);
  expect(map.exact).toBe(true);
  expect([...map.starts]).toEqual([...wordTokenizer.spans(text).start]);
});

it('says so where it had to tear a run', () => {
  const text = 'ab🙂'.repeat(40_000);
  const map = mapTokens(text, 0, text.length, byteTokenizer);
  expect(map.exact).toBe(false);
  expect(map.starts.every((at, i) => i === 0 || at >= map.starts[i - 1]!)).toBe(true);
});

it('finds the first token at or after a position', () => {
  const map = mapTokens('  aa bb', 2, 7, wordTokenizer);
  expect([...map.starts]).toEqual([2, 5]);
  expect([0, 2, 3, 5, 6].map((at) => tokenIndex(map, at))).toEqual([0, 0, 1, 1, 2]);
});
