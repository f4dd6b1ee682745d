import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK_STRATEGIES, type ChunkStrategy } from '../../src/model/chunker.js';
import { checkContract, chunk } from './checks.js';
import { plain, wildMarkdown, wildMarked, wildStructure, wildText } from './fixtures.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

const sizes = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 120 })),
    fc.double({ min: 0, max: 0.999, noNaN: true }),
  )
  .map(([limitTokens, share]) => ({ limitTokens, overlapTokens: Math.floor(limitTokens * share) }));
const documents = fc.oneof(
  wildText.map((text) => plain(text, 'A title')),
  wildMarkdown,
  wildStructure,
  wildMarked,
);
const strategies = fc.constantFrom<ChunkStrategy>(...CHUNK_STRATEGIES.filter((name) => name !== 'semantic'));

/** RUNS=6000 looks longer. */
const numRuns = Number(process.env.RUNS ?? 500);

describe.each([wordTokenizer, byteTokenizer])('any document, counted in $name', (tokenizer) => {
  it('keeps every promise of a chunk', () => {
    fc.assert(
      fc.property(documents, sizes, strategies, (document, size, strategy) => {
        checkContract(document, { ...size, strategy, tokenizer });
      }),
      { numRuns },
    );
  });

  it('gives the same chunks again', () => {
    fc.assert(
      fc.property(documents, sizes, strategies, (document, size, strategy) => {
        const options = { ...size, strategy, tokenizer };
        expect(chunk(document, options)).toEqual(chunk(document, options));
      }),
      { numRuns: 100 },
    );
  });
});
