import { describe, expect, it } from 'vitest';
import { createChunker } from '../../src/chunking/index.js';
import { BlockKind } from '../../src/model/document.js';
import { checkContract, chunk, slices } from './checks.js';
import { makeDocument, markdown, plain } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

const tokenizer = wordTokenizer;

describe('createChunker', () => {
  it('has a fingerprint of all that shapes chunks', () => {
    const options = { strategy: 'structure', limitTokens: 254, overlapTokens: 38, tokenizer } as const;
    expect(createChunker(options).fingerprint).toBe('structure(limit=254,overlap=38,tokenizer=words,v3)');
  });

  it('gives no chunk for a document without text', () => {
    for (const strategy of ['auto', 'structure', 'window', 'whole'] as const) {
      for (const text of ['', ' \n\t\u3000']) {
        const chunks = checkContract(plain(text, 'T'), { strategy, limitTokens: 10, tokenizer });
        expect(chunks.start).toHaveLength(0);
        expect([...chunks.embeddingText.offsets]).toEqual([0]);
      }
    }
  });

  it('takes structure where there is any, windows otherwise', () => {
    const paragraphs = 'one two three\n\nfour five six';
    const [code, prose] = [BlockKind.code, BlockKind.prose].map((kind) =>
      makeDocument(
        paragraphs,
        [],
        [
          { start: 0, end: 13, kind, section: 0 },
          { start: 15, end: 28, kind, section: 0 },
        ],
      ),
    );
    const options = { limitTokens: 5, overlapTokens: 2, tokenizer };
    expect(chunk(code!, options)).toEqual(chunk(code!, { ...options, strategy: 'structure' }));
    expect(chunk(prose!, options)).toEqual(chunk(prose!, { ...options, strategy: 'window' }));
    const headed = markdown(`# A\n\n${paragraphs}`);
    expect(chunk(headed, options)).toEqual(chunk(headed, { ...options, strategy: 'structure' }));
  });

  it('keeps a whole document whole and flags what is over the limit', () => {
    const document = plain(`\n\n  ${'word '.repeat(50)}\n`);
    const chunks = checkContract(document, { strategy: 'whole', limitTokens: 20, tokenizer });
    expect([...chunks.tokens, ...chunks.overLimit]).toEqual([50, 1]);
    expect(slices(document, chunks)[0]).toBe(`  ${'word '.repeat(50).trim()}`);
  });
});
