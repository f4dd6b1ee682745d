import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK_STRATEGIES } from '../../src/model/chunker.js';
import { loadBpe, loadModelTokenizer } from '../../src/tokens/index.js';
import { cpuMs } from '../cpu-time.js';
import { checkContract, chunk } from './checks.js';
import { plain, wildMarkdown, wildMarked, wildText } from './fixtures.js';

const tokenizers = [loadModelTokenizer('models/all-MiniLM-L6-v2/tokenizer.json'), loadBpe('cl100k')];

const STRATEGIES = CHUNK_STRATEGIES.filter((strategy) => strategy !== 'semantic');

describe.each(tokenizers)('chunks counted in $name', (tokenizer) => {
  it('keep every promise', () => {
    const documents = fc.oneof(
      wildText.map((text) => plain(text, 'A title')),
      wildMarkdown,
      wildMarked,
    );
    const sizes = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.nat());
    fc.assert(
      fc.property(
        documents,
        sizes,
        fc.constantFrom(...STRATEGIES),
        (document, [limitTokens, seed], strategy) => {
          checkContract(document, { strategy, limitTokens, overlapTokens: seed % limitTokens, tokenizer });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('take special tokens for plain text (T1)', () => {
    const document = plain('Papers mention <|endoftext|>, <|im_start|>, [CLS], </s> and <pad>.');
    const chunks = checkContract(document, { limitTokens: 200, tokenizer });
    expect(chunks.start).toHaveLength(1);
    expect(chunks.tokens[0]).toBeGreaterThan(20);
  });

  it.each(STRATEGIES.filter((strategy) => !['whole', 'words'].includes(strategy)))(
    'of a line of minified JSON hold the limit with %s (C8)',
    (strategy) => {
      const json = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ id: i, v: `x${i}` })));
      const chunks = chunk(plain(json), { strategy, limitTokens: 200, overlapTokens: 30, tokenizer });
      expect(Math.max(...chunks.tokens)).toBeLessThanOrEqual(200);
      expect(chunks.overLimit.includes(1)).toBe(false);
    },
  );

  it('of endless lines hold the limit, and take no longer than others (C8, T2)', () => {
    const json = JSON.stringify(Array.from({ length: 9000 }, (_, i) => ({ id: i, v: `x${i}` })));
    const base64 = Buffer.from(Array.from({ length: 750_000 }, (_, i) => (i * 7919) >> 3)).toString('base64');
    for (const text of [json, base64, 'a'.repeat(300_000), '_'.repeat(50_000), '漢'.repeat(100_000)]) {
      const before = cpuMs();
      const chunks = chunk(plain(text), { limitTokens: 254, overlapTokens: 38, tokenizer });
      expect(cpuMs() - before).toBeLessThan(2_000);
      expect(Math.max(...chunks.tokens)).toBeLessThanOrEqual(254);
      expect(chunks.overLimit.every((flag) => flag === 0)).toBe(true);
    }
  });
});
