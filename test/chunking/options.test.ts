import { describe, expect, it } from 'vitest';
import { resolveChunkOptions } from '../../src/chunking/index.js';
import {
  CHUNK_PRESETS,
  type ChunkOptions,
  type ChunkPreset,
  type ChunkSizes,
} from '../../src/model/chunker.js';
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

  it('counts in the tokens that are asked for', () => {
    for (const [preset, { tokens, ...all }] of Object.entries<ChunkSizes>(CHUNK_PRESETS)) {
      const { parentTokens, ...sizes } = all;
      const asked: string[] = [];
      const loadEncoding = (name: string) => {
        asked.push(name);
        return byteTokenizer;
      };
      const resolved = resolve({ preset: preset as ChunkPreset }, { loadEncoding });
      expect(resolved).toMatchObject(sizes);
      expect(resolved.parents?.limitTokens).toBe(parentTokens);
      expect(asked).toEqual(tokens === 'model' ? [] : [tokens]);
    }
    expect(resolve({ tokens: 'o200k' })).toMatchObject({ limitTokens: 254, tokenizer: byteTokenizer });
    expect(resolve({ tokens: 'cl100k' }, { windowTokens: 8192 }).limitTokens).toBe(500);
    expect(resolve({ tokens: 'cl100k', preset: 'cl100k-256-32' }).overlapTokens).toBe(32);
  });

  it('fills in what single strategies need', () => {
    expect(resolve({ strategy: 'words' }).words).toEqual({ limit: 120, overlap: 18 });
    expect(resolve({ strategy: 'words', limitWords: 8, overlapWords: 5 }).words).toEqual({
      limit: 8,
      overlap: 5,
    });
    expect(resolve({ strategy: 'recursive' }).separators?.[0]).toBe('\n## ');
    expect(resolve({ strategy: 'parent-child' })).toMatchObject({
      limitTokens: 254,
      overlapTokens: 40,
      parents: { limitTokens: 1500, window: { limitTokens: 254, tokenizer: wordTokenizer } },
    });
    expect(resolve({ strategy: 'parent-child' }, { windowTokens: 512 })).toMatchObject({
      limitTokens: 300,
      overlapTokens: 40,
    });
    expect(resolve({ preset: 'small-to-big', parentTokens: 500 })).toMatchObject({
      strategy: 'parent-child',
      limitTokens: 56,
      parents: { limitTokens: 500 },
    });
    const sentences = { model: 'm', embed: () => Promise.reject(new Error('not asked')) };
    expect(resolve({ strategy: 'semantic' }, { sentences }).semantic).toEqual({
      percentile: 95,
      buffer: 1,
      ...sentences,
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
    [{ tokens: 'letters' as never }, {}, 'tokens: letters is unknown'],
    [{ preset: 'cl100k-500-75', tokens: 'o200k' }, {}, 'tokens: o200k contradicts the preset cl100k-500-75'],
    [
      { preset: 'small-to-big', strategy: 'window' },
      {},
      "strategy: window contradicts the preset small-to-big, which is of strategy 'parent-child'",
    ],
    [{ limitWords: 20 }, {}, "limitWords: 20 is of strategy 'words', not of 'auto'"],
    [{ strategy: 'window', separators: ['x'] }, {}, "separators: x is of strategy 'recursive'"],
    [{ strategy: 'words', limitWords: 0 }, {}, 'limitWords: 0 is not a whole number of words from 1 on'],
    [
      { strategy: 'words', limitWords: 8, overlapWords: 8 },
      {},
      'overlapWords: 8 is not under limitWords (8)',
    ],
    [{ strategy: 'recursive', separators: ['a', ''] }, {}, 'is not a list of at most 32 strings'],
    [{ strategy: 'parent-child', parentTokens: 200 }, {}, 'parentTokens: 200 is under limitTokens (254)'],
    [
      { strategy: 'semantic', breakpointPercentile: 100 },
      {},
      'breakpointPercentile: 100 is not a number between',
    ],
    [
      { strategy: 'semantic', bufferSentences: -1 },
      {},
      'bufferSentences: -1 is not a whole number of sentences',
    ],
    [{ strategy: 'semantic', bufferSentences: 11 }, {}, 'bufferSentences: 11 makes neighbours the same text'],
    [{ strategy: 'semantic' }, {}, 'needs a model that runs here'],
    [{}, { windowTokens: 2 }, 'windowTokens: 2 leaves no token for text'],
  ])('refuses %j %j', (options, change, message) => {
    expect(() => resolve(options, change)).toThrow(
      expect.objectContaining({ code: 'SLUICE_USAGE', message: expect.stringContaining(message) }),
    );
  });
});
