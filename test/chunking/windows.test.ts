import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../cpu-time.js';
import { checkContract, chunk, embeddingTexts, slices } from './checks.js';
import { plain } from './fixtures.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

const window = (text: string, limitTokens: number, overlapTokens = 0, tokenizer = wordTokenizer) => {
  const document = plain(text);
  const chunks = checkContract(document, { strategy: 'window', limitTokens, overlapTokens, tokenizer });
  return { document, chunks, texts: slices(document, chunks) };
};

describe('windows', () => {
  it('leaves a text under the limit whole (C15)', () => {
    expect(window('word '.repeat(300).trim(), 4000).texts).toHaveLength(1);
    expect(window('', 10).texts).toEqual([]);
    expect(window(' \n\t ', 10).texts).toEqual([]);
  });

  it('cuts no character of a byte-level token (C4)', () => {
    for (const overlap of [0, 2]) {
      const { texts } = window('ö'.repeat(40), 5, overlap, byteTokenizer);
      expect(texts.every((text) => /^ö+$/.test(text))).toBe(true);
    }
    expect(window('👨‍👩‍👧‍👦', 12, 0, byteTokenizer).texts).toEqual(['👨‍👩‍👧‍👦']);
    // The family alone is over the limit: cut between its people, but never inside one.
    const { texts } = window('👨‍👩‍👧‍👦', 5, 0, byteTokenizer);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.every((text) => text.isWellFormed())).toBe(true);
  });

  it('gives indentation up before it cuts the character behind it', () => {
    expect(window('    👨‍👩‍👧‍👦', 9, 0, byteTokenizer).texts).toEqual(['👨‍👩‍👧‍👦']);
  });

  it('cuts no surrogate pair at the limit (C5)', () => {
    for (const tokenizer of [wordTokenizer, byteTokenizer]) {
      for (let letters = 1; letters < 30; letters++) {
        const { texts } = window(`${'a'.repeat(letters)}🙂 and more text`, 4, 0, tokenizer);
        expect(texts.every((text) => text.isWellFormed())).toBe(true);
      }
      const chinese = window('仓库的钥匙在左边的抽屉里面，请先关灯。', 5, 1, tokenizer);
      expect(chinese.texts.join('')).not.toContain('\ufffd');
    }
  });

  it('replaces a lone surrogate only in what models read (C5)', () => {
    const { texts, chunks } = window('left \ud83d right', 50);
    expect(texts).toEqual(['left \ud83d right']);
    expect(embeddingTexts(chunks)).toEqual(['left \ufffd right']);
  });

  it('terminates for every piece between limit minus overlap and limit (C7)', () => {
    for (const piece of [60, 61, 80, 99, 100, 101]) {
      const row = Array.from({ length: piece }, (_, i) => `c${i}`).join('|');
      window(`${row}\n\nand what follows ${'x '.repeat(300)}`, 100, 40);
    }
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(),
        fc.array(fc.integer({ min: 1, max: 90 })),
        (limit, seed, pieces) => {
          window(pieces.map((length) => 'x'.repeat(length)).join(' '), limit, seed % limit);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('holds the limit with the overlap inside (C9)', () => {
    const segments = Array.from({ length: 8 }, (_, i) => `s${i} `.repeat(350).trim());
    const { chunks } = window(segments.join('\n\n'), 400, 80);
    expect(Math.max(...chunks.tokens)).toBeLessThanOrEqual(400);
  });

  it('delivers the overlap: every span of one token more lies whole in a window (C11)', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 30 }), fc.nat(), (list, limit, seed) => {
        const overlap = seed % limit;
        const text = list.join(' ');
        const { chunks } = window(text, limit, overlap);
        const starts = [...text.matchAll(/\S+/g)].map((match) => match.index);
        for (let first = 0; first + overlap + 1 < starts.length; first++) {
          const [from, to] = [starts[first]!, starts[first + overlap + 1]!];
          const whole = chunks.start.some((start, i) => start <= from && chunks.end[i]! >= to - 1);
          expect(whole).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('finds repeated text where it is, with its lines (C12)', () => {
    for (const ending of ['\n', '\r\n', '\r']) {
      const sentence = `The same seven words stand here again.${ending}`;
      const { chunks, texts } = window(sentence.repeat(9), 30);
      expect(texts.length).toBeGreaterThan(3);
      expect([...chunks.startLine]).toEqual([...chunks.start].map((start) => 1 + start / sentence.length));
      const braces = window(`  }${ending}`.repeat(200), 10, 3);
      expect(braces.chunks.endLine.at(-1)).toBe(200);
      expect(new Set(braces.chunks.startLine).size).toBe(braces.texts.length);
    }
  });

  it('prefers paragraphs, then sentences, then words', () => {
    const paragraph = 'One two three four. Five six seven eight. Nine ten.';
    expect(window(`${paragraph}\n\n${paragraph}`, 20).texts).toEqual([paragraph, paragraph]);
    expect(window('aa bb cc dd ee ff. gg hh ii jj kk ll mm', 10).texts[0]).toBe('aa bb cc dd ee ff.');
    expect(window('aa bb cc dd ee ff gg hh', 3).texts).toEqual(['aa bb cc', 'dd ee ff', 'gg hh']);
    expect(window('今天下雨。明天出太阳，后天下雪。', 12).texts[0]).toBe('今天下雨。明天出太阳，');
  });

  it('keeps the indentation of the first line, and tabs and odd spaces inside (C3)', () => {
    const code = 'def f():\n\treturn {\n\u00a0\u00a0key: 1\n\t}\n\n    def g():\n        pass';
    const { texts } = window(code, 8);
    expect(texts.some((text) => text.startsWith('    def g()'))).toBe(true);
    expect(window(code, 100).texts).toEqual([code]);
  });

  it('needs no separator to hold the limit (C8), in near-linear time', () => {
    const json = JSON.stringify(Array.from({ length: 9000 }, (_, i) => ({ id: i, v: `x${i}` })));
    const line = 'abcdefghijklmnopqrstuvwxyz0123456789+/'.repeat(27_000);
    const letters = 'a'.repeat(1_000_000);
    for (const [text, limit] of [
      [json, 200],
      [line, 254],
      [letters, 254],
      [`${' \n'.repeat(500_000)}x`, 254],
    ] as const) {
      for (const tokenizer of [wordTokenizer, byteTokenizer]) {
        const before = cpuMs();
        const chunks = chunk(plain(text), {
          strategy: 'window',
          limitTokens: limit,
          overlapTokens: 30,
          tokenizer,
        });
        expect(cpuMs() - before).toBeLessThan(2_000);
        expect(Math.max(...chunks.tokens)).toBeLessThanOrEqual(limit);
      }
    }
  });
});
