import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Meter, NO_LEAD } from '../../src/chunking/meter.js';
import { cutWords, findWords } from '../../src/chunking/words.js';
import { checkContract, slices } from './checks.js';
import { plain } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

function windows(text: string, limit: number, overlap: number): string[] {
  const document = plain(text);
  const options = {
    strategy: 'words',
    limitTokens: 200,
    words: { limit, overlap },
    tokenizer: wordTokenizer,
  } as const;
  return slices(document, checkContract(document, options));
}

/** The plain twin: the same windows over a list of words. */
function plainWindows(words: readonly string[], limit: number, overlap: number): string[] {
  const step = limit - overlap;
  const count = Math.max(1, Math.ceil((words.length - overlap) / step));
  return Array.from({ length: count }, (_, i) => words.slice(i * step, i * step + limit).join(' '));
}

describe('windows of words', () => {
  it('keep a fact whole from the overlap on that its length asks for', () => {
    const manual =
      'Load shelves on Thursday . The glaze kiln reaches cone ten after nine hours . Let it cool for two days before opening .';
    const fact = 'The glaze kiln reaches cone ten';
    const found = [0, 2, 5].map((overlap) => windows(manual, 8, overlap));
    expect(found.map((texts) => texts.length)).toEqual([3, 4, 7]);
    expect(found.map((texts) => texts.some((text) => text.includes(fact)))).toEqual([false, false, true]);
    expect(found[0]!.slice(0, 2)).toEqual([
      'Load shelves on Thursday . The glaze kiln',
      'reaches cone ten after nine hours . Let',
    ]);
  });

  it('are those of the plain twin, and hold every span of overlap + 1 words, for all sizes and overlaps', () => {
    const word = fc.stringMatching(/^[a-z]{1,7}[.,]?$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 24 }), (words) => {
        const text = words.join(' ');
        const meter = Meter.over(text, 0, text.length, wordTokenizer, 200, 'none');
        const starts = findWords(text, 0, text.length).starts;
        for (let limit = 1; limit <= 8; limit++) {
          for (let overlap = 0; overlap < limit; overlap++) {
            const pieces = cutWords(meter, 0, text.length, { limit, overlap }, () => NO_LEAD);
            const twin = plainWindows(words, limit, overlap);
            expect(pieces.map(({ start, end }) => text.slice(start, end))).toEqual(twin);
            const isWhole = (first: number) => {
              const last = Math.min(words.length - 1, first + overlap);
              const end = starts[last]! + words[last]!.length;
              return pieces.some((piece) => piece.start <= starts[first]! && end <= piece.end);
            };
            expect(words.findIndex((_, first) => !isWhole(first))).toBe(-1);
          }
        }
      }),
      { numRuns: 2000 },
    );
  }, 120_000);

  it('cost about limit / (limit - overlap) times the words', () => {
    const words = Array.from({ length: 2000 }, (_, i) => `w${i}`);
    for (const [limit, overlap] of [
      [160, 24],
      [100, 50],
      [8, 5],
    ] as const) {
      const stored = windows(words.join(' '), limit, overlap).reduce(
        (sum, text) => sum + text.split(' ').length,
        0,
      );
      // Less what the first window does not share.
      expect(stored / words.length / (limit / (limit - overlap))).toBeCloseTo(1, 1);
    }
  });

  it('over the limit stay whole and are flagged', () => {
    const document = plain('one two three four five six');
    const options = {
      strategy: 'words',
      limitTokens: 3,
      words: { limit: 4, overlap: 1 },
      tokenizer: wordTokenizer,
    } as const;
    const chunks = checkContract(document, options);
    expect(slices(document, chunks)).toEqual(['one two three four', 'four five six']);
    expect([...chunks.overLimit]).toEqual([1, 0]);
  });

  it('take characters for words where none are written, and long runs for several', () => {
    expect(windows('仓库的钥匙，在左边。', 4, 1)).toEqual(['仓库的钥', '钥匙，在左', '左边。']);
    expect(windows('更新build脚本', 3, 0)).toEqual(['更新build', '脚本']);
    expect(windows('x'.repeat(250), 1, 0).map((text) => text.length)).toEqual([100, 100, 50]);
    expect(windows(`${'e\u0301'.repeat(75)} end`, 1, 0).map((text) => text.length)).toEqual([100, 50, 3]);
    expect(windows(' \n ', 4, 1)).toEqual([]);
  });
});
