import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkContract, type Sizes, slices } from './checks.js';
import { plain, wildText } from './fixtures.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

function recursive(text: string, limitTokens: number, overlapTokens = 0, more: Partial<Sizes> = {}) {
  const document = plain(text);
  const options = {
    strategy: 'recursive',
    limitTokens,
    overlapTokens,
    tokenizer: wordTokenizer,
    ...more,
  } as const;
  const chunks = checkContract(document, options);
  return { chunks, texts: slices(document, chunks) };
}

describe('recursive separators', () => {
  it('are tried in order, and pieces merged up to the limit', () => {
    const text = '# T\n\none two\n\nthree four\n## B\nfive six\n## C\nseven. eight nine ten. eleven';
    expect(recursive(text, 100).texts).toEqual([text]);
    expect(recursive(text, 8).texts).toEqual([
      '# T\n\none two\n\nthree four',
      '## B\nfive six',
      '## C',
      'seven. eight nine ten.',
      'eleven',
    ]);
  });

  it('stay in the text: words of a separator go with what follows, marks with what is before', () => {
    const { texts } = recursive('aa bb, cc dd, ee ff', 3, 0, { separators: [', '] });
    expect(texts).toEqual(['aa bb,', 'cc dd,', 'ee ff']);
    const classes = recursive('class A:\n  pass\nclass B:\n  pass', 6, 0, { separators: ['\nclass '] });
    expect(classes.texts).toEqual(['class A:\n  pass', 'class B:\n  pass']);
    expect(recursive('a*b*c', 2, 0, { separators: ['*'] }).texts).toEqual(['a*', 'b*', 'c']);
  });

  it('match any line end', () => {
    for (const ending of ['\n', '\r\n', '\r']) {
      const text = ['one two', '', 'three', 'four', '', 'five six'].join(ending);
      const { texts } = recursive(text, 3, 0, { separators: ['\n\n'] });
      expect(texts).toEqual(['one two', `three${ending}four`, 'five six']);
    }
  });

  it('fall back to token windows where none occurs (C8)', () => {
    const json = JSON.stringify(Array.from({ length: 300 }, (_, i) => ({ id: i })));
    const { chunks } = recursive(json, 20, 3, { separators: ['\n\n'] });
    expect(Math.max(...chunks.tokens)).toBeLessThanOrEqual(20);
    expect(chunks.overLimit.includes(1)).toBe(false);
  });

  it('count the overlap inside the limit, and shorten it for a piece that would not fit (C9)', () => {
    const segments = Array.from({ length: 8 }, (_, i) =>
      Array.from({ length: 350 }, (_, w) => `${i}${w}`).join(' '),
    );
    const { chunks } = recursive(segments.join('\n\n'), 400, 80);
    expect(chunks.start).toHaveLength(8);
    expect(Math.max(...chunks.tokens)).toBeLessThanOrEqual(400);
    for (let i = 1; i < 8; i++) expect(chunks.tokens[i]).toBe(400);
  });

  it('carry the overlap over where a piece fills its chunk exactly (C11)', () => {
    const first = Array.from({ length: 36 }, (_, i) => `f${i}`).join(' ');
    const { chunks, texts } = recursive(`${first}\n\nlast few words here now`, 36, 12);
    expect(texts[0]).toBe(first);
    expect(texts[1]).toBe(`${first.split(' ').slice(-12).join(' ')}\n\nlast few words here now`);
    expect(chunks.end[0]! - chunks.start[1]!).toBeGreaterThan(0);
  });

  it('cut no grapheme, whatever they are', () => {
    const separators = fc.array(fc.constantFrom('\u0301', '\ufe0f', '👍', '\r', ' ', 'a', '。', '\ud83d'), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(wildText, separators, fc.integer({ min: 1, max: 12 }), (text, list, limit) => {
        recursive(text, limit, limit >> 2, { separators: list, tokenizer: byteTokenizer });
      }),
      { numRuns: 300 },
    );
  });
});
