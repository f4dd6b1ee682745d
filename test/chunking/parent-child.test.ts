import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../src/model/document.js';
import { checkContract, chunk, embeddingTexts, type Sizes } from './checks.js';
import { markdown, plain, wildMarkdown, wildText } from './fixtures.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

const sizes = (limitTokens: number, parentTokens: number, more: Partial<Sizes> = {}): Sizes => ({
  strategy: 'parent-child',
  limitTokens,
  overlapTokens: 4,
  tokenizer: wordTokenizer,
  parents: { limitTokens: parentTokens, window: { limitTokens, tokenizer: wordTokenizer } },
  ...more,
});

/** Each parent once, as text. */
function parents(document: Document, options: Sizes): string[] {
  const { parentStart, parentEnd } = checkContract(document, options);
  const spans = new Set(Array.from(parentStart, (start, i) => `${start} ${parentEnd[i]}`));
  return [...spans].map((span) => document.text.slice(...(span.split(' ').map(Number) as [number, number])));
}

const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i % 10}`).join(' ');

describe('parents and children', () => {
  it('are cut by structure where there is any', () => {
    const text = `# A\n\n${words(60)}\n\n## B\n\n${words(60)}`;
    expect(parents(markdown(text), sizes(30, 200))).toEqual([`# A\n\n${words(60)}`, `## B\n\n${words(60)}`]);
    const long = parents(plain(words(300)), sizes(30, 100));
    expect(long.map((parent) => wordTokenizer.count(parent))).toEqual([100, 100, 100]);
  });

  it('hold each other: children lie in their parent, parents share nothing and lose nothing', () => {
    const documents = fc.oneof(
      wildMarkdown,
      wildText.map((text) => plain(text)),
    );
    fc.assert(
      fc.property(
        documents,
        fc.integer({ min: 2, max: 30 }),
        fc.integer({ min: 1, max: 5 }),
        (document, limit, times) => {
          const { parentStart, parentEnd } = checkContract(
            document,
            sizes(limit, limit * times, { overlapTokens: limit >> 2 }),
          );
          for (let i = 1; i < parentStart.length; i++) {
            const same = parentStart[i] === parentStart[i - 1] && parentEnd[i] === parentEnd[i - 1];
            expect(same || parentStart[i]! >= parentEnd[i - 1]!).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('repeat the head of a table in every child, of later parents too (C13)', () => {
    const head = '| id | one |\n|---|---|';
    const rows = Array.from({ length: 200 }, (_, i) => `| r${i} | value |`);
    const document = markdown([head, ...rows].join('\n'));
    const chunks = checkContract(document, sizes(60, 300));
    expect(new Set(chunks.parentStart).size).toBeGreaterThan(2);
    for (const text of embeddingTexts(chunks)) expect(text.startsWith(`${head}\n| r`)).toBe(true);
  });

  it('never pass the window of the embedder, whatever children are counted in', () => {
    const text = Array.from({ length: 400 }, (_, i) => (i % 7 === 0 ? 'a,b,c,d;e' : `word${i}`)).join(' ');
    for (const window of [5, 20, 40]) {
      const options = sizes(60, 300, {
        tokenizer: byteTokenizer,
        parents: { limitTokens: 300, window: { limitTokens: window, tokenizer: wordTokenizer } },
      });
      const chunks = checkContract(plain(text, 'T'), options);
      for (const read of embeddingTexts(chunks))
        expect(wordTokenizer.count(read)).toBeLessThanOrEqual(window);
      expect(chunk(plain(text, 'T'), options).start.length).toBeGreaterThan(10);
    }
  });
});
