/** OpenAI's encodings against js-tiktoken. */

import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../cpu-time.js';
import { columns, native } from './support.js';
import { AWKWARD } from './texts.js';

const ENCODINGS = [
  ['cl100k', native.BpeEncoding.load('cl100k'), new Tiktoken(cl100k)],
  ['o200k', native.BpeEncoding.load('o200k'), new Tiktoken(o200k)],
] as const;

/** Special tokens are text: neither allowed nor forbidden. */
const reference = (tiktoken: Tiktoken, text: string): number[] => tiktoken.encode(text, [], []);

/**
 * Characters that JavaScript and Rust classify differently: U+FEFF is white space to JavaScript only and U+0085 to
 * Rust only, and the two know different versions of Unicode. Rust is what tiktoken itself runs on.
 */
const sameInBoth = (text: string): boolean => !/[\u0085\ufeff\p{Cn}\p{Co}\p{Cs}]/u.test(text);

describe.each(ENCODINGS)('%s', (name, bpe, tiktoken) => {
  it.each(Object.entries(AWKWARD))('encodes like the reference: %s', (_, text) => {
    const expected = reference(tiktoken, text);
    const { ids, rowOffsets } = bpe.encodeRows(...columns([text]));
    expect([...ids]).toEqual(expected);
    expect([...rowOffsets]).toEqual([0, expected.length]);
    expect([...bpe.countRows(...columns([text]))]).toEqual([expected.length]);
    expectSpans(bpe.spans(text), text, expected.length);
  });

  it('encodes many rows like each alone', () => {
    const texts = Object.values(AWKWARD);
    const { ids, rowOffsets } = bpe.encodeRows(...columns(texts));
    const rows = texts.map((_, row) => [...ids.subarray(rowOffsets[row], rowOffsets[row + 1])]);
    expect(rows).toEqual(texts.map((text) => reference(tiktoken, text)));
    expect([...bpe.countRows(...columns(texts))]).toEqual(rows.map((row) => row.length));
  });

  it('encodes random text like the reference', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => text.isWellFormed()),
      fc.constantFrom(...Object.values(AWKWARD).filter((text) => text.length < 80)),
      fc.constantFrom(' ', '  ', '\n', '\r\n', '\t', "'s", "'LL", '<|endoftext|>', '1234', 'ſ'),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const property = fc.property(text, (text) => {
      fc.pre(sameInBoth(text));
      const expected = reference(tiktoken, text);
      expect([...bpe.encodeRows(...columns([text])).ids]).toEqual(expected);
      expectSpans(bpe.spans(text), text, expected.length);
    });
    fc.assert(property, { numRuns: 400 });
  });

  it('takes time in proportion to the length, whatever it holds', () => {
    const random = Array.from({ length: 100_000 }, (_, i) =>
      String.fromCharCode(97 + ((i * i * 7919) % 26)),
    ).join('');
    for (const long of [
      'a'.repeat(100_000),
      '_'.repeat(100_000),
      ' '.repeat(100_000),
      random,
      '字'.repeat(100_000),
    ]) {
      const whole = columns([long]);
      const quarter = columns([long.slice(0, 25_000)]);
      const time = (column: [Uint8Array, Uint32Array]): number => {
        const started = cpuMs();
        bpe.countRows(...column);
        return cpuMs() - started;
      };
      time(quarter);
      const best = (column: [Uint8Array, Uint32Array]) =>
        Math.min(...[1, 2, 3, 4, 5].map(() => time(column)));
      // 4 is linear and 16 quadratic; below a millisecond or two the clock decides.
      expect(best(whole), name).toBeLessThan(Math.max(best(quarter), 1.5) * 10);
      expect(best(whole)).toBeLessThan(1_000);
    }
  });
});

/** Spans cover the text in order, and each slice is whole characters. */
function expectSpans(spans: Uint32Array, text: string, tokens: number): void {
  expect(spans).toHaveLength(tokens * 2);
  let covered = 0;
  for (let i = 0; i < spans.length; i += 2) {
    const [start, end] = [spans[i]!, spans[i + 1]!];
    expect(end).toBeGreaterThan(start);
    expect(start).toBeLessThanOrEqual(covered);
    expect(text.slice(start, end).isWellFormed()).toBe(true);
    if (i > 0) expect(start).toBeGreaterThanOrEqual(spans[i - 2]!);
    covered = Math.max(covered, end);
  }
  expect(covered).toBe(text.length);
}

it('reports the whole character for each of its tokens', () => {
  const bpe = ENCODINGS[0][1];
  // The family takes many tokens, few of which end at a character.
  const family = '👨‍👩‍👧‍👦';
  const spans = bpe.spans(`a${family}`);
  expect(spans.length / 2).toBeGreaterThan(8);
  expect([...spans.subarray(0, 2)]).toEqual([0, 1]);
  const points = new Set([...family].map((_, i, all) => 1 + all.slice(0, i).join('').length));
  points.add(1 + family.length);
  for (const at of spans.subarray(2)) expect(points.has(at)).toBe(true);
  expect([...bpe.spans('')]).toEqual([]);
});

it('takes a lone surrogate for U+FFFD, which is as long', () => {
  const bpe = ENCODINGS[0][1];
  expect(bpe.spans('a\ud800b')).toEqual(bpe.spans('a\ufffdb'));
});
