import { expect, it } from 'vitest';
import { mapTokens, tokenIndex } from '../../src/chunking/token-map.js';
import { loadBpe, loadModelTokenizer } from '../../src/tokens/index.js';
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

it.each([loadBpe('cl100k'), loadModelTokenizer('models/all-MiniLM-L6-v2/tokenizer.json')])(
  'maps a long text in $name as if it had been tokenized at once',
  (tokenizer) => {
    const paragraphs = [
      'It’s 12345.67  km!\n\n   \n',
      'naïve カレンダー',
      ' \n \t',
      '漢字'.repeat(50),
      "don't",
      '🙂'.repeat(9),
    ];
    let seed = 7;
    const next = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return paragraphs[(seed >> 8) % paragraphs.length]!;
    };
    const text = Array.from({ length: 40_000 }, next).join('');
    const whole = tokenizer.pieces!(text);
    const map = mapTokens(text, 0, text.length, tokenizer);
    expect(text.length).toBeGreaterThan(3 * (1 << 17));
    expect(map.exact).toBe(true);
    expect(bytes(map.starts).equals(bytes(whole.starts))).toBe(true);
    expect(bytes(map.first!).equals(bytes(whole.first))).toBe(true);
  },
);

function bytes({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

it('says so where a piece is longer than a part', () => {
  const text = `${'_'.repeat(300_000)} end`;
  const map = mapTokens(text, 0, text.length, loadBpe('cl100k'));
  expect(map.exact).toBe(false);
  expect(map.starts.every((at, i) => i === 0 || at > map.starts[i - 1]!)).toBe(true);
});
