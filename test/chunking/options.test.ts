import { describe, expect, it } from 'vitest';
import { resolveChunkOptions } from '../../src/chunking/index.js';
import type { ChunkOptions } from '../../src/model/chunker.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

const context = {
  tokenizer: wordTokenizer,
  loadEncoding: () => byteTokenizer,
  windowTokens: 256,
  specialTokens: 2,
  prefixTokens: 0,
};
const resolve = (options: ChunkOptions, change = {}) =>
  resolveChunkOptions(options, { ...context, ...change });

describe('resolveChunkOptions', () => {
  it('leaves room for special tokens and the instruction (T4)', () => {
    expect(resolve({})).toEqual({
      strategy: 'auto',
      limitTokens: 254,
      overlapTokens: 38,
      tokenizer: wordTokenizer,
    });
    expect(resolve({}, { windowTokens: 512, specialTokens: 2, prefixTokens: 4 }).limitTokens).toBe(506);
  });

  it('knows 500/75 in cl100k, which may be over the window', () => {
    expect(resolve({ preset: 'cl100k-500-75' })).toEqual({
      strategy: 'auto',
      limitTokens: 500,
      overlapTokens: 75,
      tokenizer: byteTokenizer,
    });
    expect(resolve({ preset: 'cl100k-500-75', limitTokens: 2000 })).toMatchObject({
      limitTokens: 2000,
      overlapTokens: 300,
    });
  });

  it('takes explicit sizes', () => {
    expect(resolve({ limitTokens: 100, overlapTokens: 0, strategy: 'whole' })).toMatchObject({
      strategy: 'whole',
      limitTokens: 100,
      overlapTokens: 0,
    });
    expect(resolve({ limitTokens: 1 })).toMatchObject({ limitTokens: 1, overlapTokens: 0 });
  });

  it.each<[ChunkOptions, object, string]>([
    [{ limitTokens: 0 }, {}, 'limitTokens: 0 is not a whole number of tokens from 1 on'],
    [{ limitTokens: 1.5 }, {}, 'limitTokens: 1.5'],
    [{ limitTokens: Number.NaN }, {}, 'limitTokens: NaN'],
    [
      { limitTokens: 255 },
      {},
      'limitTokens: 255 is over the 254 tokens that the embedder reads; set at most 254',
    ],
    [
      { limitTokens: 10, overlapTokens: 10 },
      {},
      'overlapTokens: 10 is not under limitTokens (10); set at most 9',
    ],
    [{ overlapTokens: -1 }, {}, 'overlapTokens: -1'],
    [{ strategy: 'clever' as never }, {}, 'strategy: clever is unknown; use one of auto'],
    [{ preset: 'big' as never }, {}, 'preset: big is unknown'],
    [{}, { windowTokens: 2 }, 'windowTokens: 2 leaves no token for text'],
  ])('refuses %j %j', (options, change, message) => {
    expect(() => resolve(options, change)).toThrow(
      expect.objectContaining({ code: 'SLUICE_USAGE', message: expect.stringContaining(message) }),
    );
  });
});
