import { describe, expect, it } from 'vitest';
import { checkCallerChunks, chunkerContext } from '../../src/chunking/index.js';
import type { ChunkColumns } from '../../src/model/chunk.js';
import { resolved } from './checks.js';
import { plain } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

const document = plain('one two 🙂 three');
const { columns } = chunkerContext(resolved({ limitTokens: 20, tokenizer: wordTokenizer }));
const good = columns(document, [
  { start: 0, end: 8 },
  { start: 8, end: 16 },
]);

describe("a caller's chunks", () => {
  it('pass where they keep the contract', () => {
    expect(() => checkCallerChunks(document, good)).not.toThrow();
    const cut = columns(document, [{ start: 0, end: 16, parent: { start: 0, end: 16 } }]);
    expect(() => checkCallerChunks(document, cut)).not.toThrow();
  });

  const numbers = (...values: number[]) => Uint32Array.from(values);
  it.each<[string, unknown]>([
    ['gave no chunk columns', null],
    ['column start is not', {}],
    ['column end is not', { ...good, end: [8, 16] }],
    ['column tokens is not', { ...good, tokens: numbers(1) }],
    ['column kind is not', { ...good, kind: numbers(0, 0) }],
    ['column headingPath is not', { ...good, headingPath: ['x'] }],
    ['column embeddingText is not', { ...good, embeddingText: undefined }],
    [
      'column embeddingText is not',
      { ...good, embeddingText: { bytes: new Uint8Array(1), offsets: numbers(0, 0, 0) } },
    ],
    ['chunk 1 [8, 99) ends behind the text', { ...good, end: numbers(8, 99), parentEnd: numbers(8, 99) }],
    ['chunk 0 [3, 4) holds no text', { ...good, start: numbers(3, 8), end: numbers(4, 16) }],
    ['chunk 0 [5, 4) holds no text', { ...good, start: numbers(5, 8), end: numbers(4, 16) }],
    ['chunk 1 [0, 16) does not begin behind', { ...good, start: numbers(0, 0), parentStart: numbers(0, 0) }],
    ['chunk 1 [9, 16) cuts a surrogate pair', { ...good, start: numbers(0, 9) }],
    ['chunk 0 [0, 8) lies outside of its parent', { ...good, parentStart: numbers(1, 8) }],
    ['chunk 1 has a parent that ends behind', { ...good, parentEnd: numbers(8, 17) }],
    ['chunk 0 has the kind 9', { ...good, kind: Uint8Array.of(9, 0) }],
    ['chunk 1 is on page 1, after page 2', { ...good, page: numbers(2, 1) }],
    ['no chunk holds "two" at 4 to 7', { ...good, end: numbers(3, 16) }],
  ])('are refused: %s', (message, chunks) => {
    const error = { code: 'SLUICE_MODULE_INVALID', message: expect.stringContaining(message) };
    expect(() => checkCallerChunks(document, chunks as ChunkColumns)).toThrow(expect.objectContaining(error));
  });
});
