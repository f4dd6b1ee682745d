import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBpe, loadModelTokenizer } from '../../src/tokens/index.js';
import { checkContract, chunk } from './checks.js';
import { plain, wildMarkdown, wildText } from './fixtures.js';

const tokenizers = [loadModelTokenizer('models/all-MiniLM-L6-v2/tokenizer.json'), loadBpe('cl100k')];

describe.each(tokenizers)('chunks counted in $name', (tokenizer) => {
  it('keep every promise', () => {
    const documents = fc.oneof(
      wildText.map((text) => plain(text, 'A title')),
      wildMarkdown,
    );
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 80 }), fc.nat(), (document, limitTokens, seed) => {
        checkContract(document, { limitTokens, overlapTokens: seed % limitTokens, tokenizer });
      }),
      { numRuns: 300 },
    );
  });

  it('take special tokens for plain text (T1)', () => {
    const document = plain('Papers mention <|endoftext|>, <|im_start|>, [CLS], </s> and <pad>.');
    const chunks = checkContract(document, { limitTokens: 200, tokenizer });
    expect(chunks.start).toHaveLength(1);
    expect(chunks.tokens[0]).toBeGreaterThan(20);
  });

  it('of endless lines hold the limit, in seconds (C8, T2)', () => {
    const json = JSON.stringify(Array.from({ length: 9000 }, (_, i) => ({ id: i, v: `x${i}` })));
    const base64 = Buffer.from(Array.from({ length: 750_000 }, (_, i) => (i * 7919) >> 3)).toString('base64');
    for (const text of [json, base64, 'a'.repeat(300_000), '_'.repeat(50_000), '漢'.repeat(100_000)]) {
      const started = performance.now();
      const chunks = chunk(plain(text), { limitTokens: 254, overlapTokens: 38, tokenizer });
      expect(performance.now() - started).toBeLessThan(15_000);
      expect(Math.max(...chunks.tokens)).toBeLessThanOrEqual(254);
      expect(chunks.overLimit.every((flag) => flag === 0)).toBe(true);
    }
  });
});
