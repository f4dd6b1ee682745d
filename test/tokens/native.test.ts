import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packTexts } from '../../src/model/text-column.js';
import { loadBpe, loadModelTokenizer, loadTiktokenReference } from '../../src/tokens/index.js';
import { cpuMsOf } from '../cpu-time.js';

const MODEL = 'models/all-MiniLM-L6-v2/tokenizer.json';
const model = loadModelTokenizer(MODEL);
const words = fc.constantFrom(
  'word',
  'Naïve',
  ' ',
  '\n',
  '  ',
  '漢字',
  'ö',
  '🙂',
  '👨‍👩‍👧',
  "don't",
  '12,3',
  '<|endoftext|>',
  '[SEP]',
  '\ud800',
  'e\u0301',
);
const texts = fc.array(words, { maxLength: 25 }).map((parts) => parts.join(''));

describe.each(['cl100k', 'o200k'] as const)('%s', (name) => {
  const native = loadBpe(name);
  const reference = loadTiktokenReference(name);

  it('counts and lies like the reference', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(native.count(text)).toBe(reference.count(text));
        expect(native.spans(text)).toEqual(reference.spans(text));
      }),
      { numRuns: 200 },
    );
  });

  it('is linear in long runs (T2)', () => {
    const time = (text: string) => cpuMsOf(() => expect(native.count(text)).toBeGreaterThan(0));
    for (const piece of ['_', 'a', 'xqzjv']) {
      time(piece.repeat(1000));
      const [quarter, full] = [time(piece.repeat(100_000)), time(piece.repeat(400_000))];
      // 4 is linear and 16 quadratic.
      expect(full).toBeLessThan(Math.max(10, quarter) * 10);
      expect(full).toBeLessThan(400);
    }
  });
});

describe('loadModelTokenizer', () => {
  it('ignores the truncation and padding that the file asks for', () => {
    expect(JSON.parse(readFileSync(MODEL, 'utf8')).truncation.max_length).toBe(128);
    expect(model.count('word '.repeat(1000))).toBe(1000);
    expect(model.count('')).toBe(0);
    expect([model.specialTokens, model.specialTokensPair]).toEqual([2, 3]);
    expect(model.name).toMatch(/^wordpiece:[0-9a-f]{16}$/);
  });

  it('counts the same alone, in a column and by spans', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), (list) => {
        const counts = [...model.countAll(packTexts(list))];
        expect(counts).toEqual(list.map((text) => model.count(text)));
        for (const [i, text] of list.entries()) {
          const { start, end } = model.spans(text);
          expect(start).toHaveLength(counts[i]!);
          for (let t = 0; t < start.length; t++) {
            expect(start[t]).toBeGreaterThanOrEqual(t === 0 ? 0 : start[t - 1]!);
            expect(end[t]).toBeLessThanOrEqual(text.length);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('finds tokens where they stand', () => {
    const text = 'The Naïve 🙂 unbelievableness';
    const { start, end } = model.spans(text);
    const tokens = Array.from(start, (at, i) => text.slice(at, end[i]));
    expect(tokens.slice(0, 3)).toEqual(['The', 'Naïve', '🙂']);
    expect(tokens.slice(3).join('')).toBe('unbelievableness');
  });

  it('takes special tokens for plain text (T1)', () => {
    // [ cl ##s ]
    expect(model.count('[CLS]')).toBe(4);
    expect(model.count('<|endoftext|> </s> <pad>')).toBeGreaterThan(8);
  });

  it('names the file that it cannot use', () => {
    for (const path of ['models/missing/tokenizer.json', 'package.json']) {
      expect(() => loadModelTokenizer(path)).toThrow(
        expect.objectContaining({ code: 'SLUICE_MODEL_INVALID', message: expect.stringContaining(path) }),
      );
    }
  });
});

it('loadBpe refuses other encodings and loads one once', () => {
  expect(loadBpe('cl100k')).toBe(loadBpe('cl100k'));
  expect(() => loadBpe('p50k' as never)).toThrow(
    expect.objectContaining({
      code: 'SLUICE_USAGE',
      message: expect.stringContaining('loadTiktokenReference'),
    }),
  );
});
