import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunker } from '../../src/chunking/index.js';
import { findSentences } from '../../src/chunking/sentences.js';
import type { Document } from '../../src/model/document.js';
import { checkChunks, resolved, type Sizes, slices } from './checks.js';
import { markdown, plain, wildMarkdown, wildStructure, wildText } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

/** As many dimensions as letters: texts of the same words are near each other. */
const embedLetters = async (texts: readonly string[]) => {
  const dims = 26;
  const data = new Float32Array(texts.length * dims);
  for (const [row, text] of texts.entries()) {
    for (const letter of text.toLowerCase()) {
      const column = letter.charCodeAt(0) - 97;
      if (column >= 0 && column < dims) data[row * dims + column]! += 1;
    }
  }
  return { rows: texts.length, dims, data };
};

async function semantic(document: Document, limitTokens: number, percentile = 90, embed = embedLetters) {
  const options: Sizes = {
    strategy: 'semantic',
    limitTokens,
    overlapTokens: limitTokens >> 3,
    tokenizer: wordTokenizer,
    semantic: { percentile, buffer: 1, model: 'letters', embed },
  };
  const chunks = checkChunks(document, await createChunker(resolved(options)).chunk(document), options);
  return { chunks, texts: slices(document, chunks) };
}

describe('semantic chunks', () => {
  it('end where the subject changes', async () => {
    const bees = Array.from({ length: 8 }, (_, i) => `Bees been ${'be '.repeat(i + 1)}beef.`).join(' ');
    const kilns = Array.from({ length: 8 }, (_, i) => `Kiln hold ${'hot '.repeat(i + 1)}tonight.`).join(' ');
    const { texts } = await semantic(plain(`${bees} ${kilns}`), 300, 94);
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/^Bees/);
    expect(Math.abs(texts[0]!.length - bees.length)).toBeLessThan(30);
  });

  it('end with their section, and keep tables and code in one piece', async () => {
    const { texts, chunks } = await semantic(
      markdown('# A\n\nOne. Two. Three.\n\n| a |\n|---|\n| b |\n\n# B\n\nFour.'),
      200,
    );
    expect(chunks.headingPath.at(-1)).toBe('B');
    expect(texts.at(-1)).toBe('# B\n\nFour.');
    expect(texts.some((text) => text.includes('| a |\n|---|\n| b |'))).toBe(true);
  });

  it('ask for no vectors of a text of two sentences', async () => {
    const refuse = () => Promise.reject(new Error('asked'));
    expect((await semantic(plain('One. Two.'), 20, 95, refuse)).texts).toEqual(['One. Two.']);
  });

  it('are the same whatever is embedded at once', async () => {
    const text = Array.from(
      { length: 1300 },
      (_, i) => `${'abcdefghij'[(i >> 4) % 10]!.repeat(5)} w${i}.`,
    ).join(' ');
    const calls: number[] = [];
    const { texts } = await semantic(plain(text), 200, 90, (sentences) => {
      calls.push(sentences.length);
      return embedLetters(sentences);
    });
    expect(calls).toEqual([512, 512, 276]);
    // Letters change behind every sixteenth sentence: also where one call ends, and only there.
    expect(texts.some((one) => one.includes('w511.') && one.includes('w512.'))).toBe(false);
    expect(texts.some((one) => one.includes('w1023.') && one.includes('w1022.'))).toBe(true);
  });

  it('keep every promise of a chunk', async () => {
    const documents = fc.oneof(
      wildMarkdown,
      wildStructure,
      wildText.map((text) => plain(text, 'T')),
    );
    await fc.assert(
      fc.asyncProperty(
        documents,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 99 }),
        async (document, limit, percent) => {
          await semantic(document, limit, percent);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('findSentences', () => {
  const sentences = (text: string) =>
    findSentences(text, 0, text.length).map(({ start, end }) => text.slice(start, end));

  it('ends at marks, with what closes behind them, and at blank lines', () => {
    expect(sentences('One two. "Three?" Four!\nfive\n\nsix 3.5 e.g.')).toEqual([
      'One two.',
      '"Three?"',
      'Four!',
      'five',
      'six 3.5 e.g.',
    ]);
    expect(sentences('今天下雨。“好吗？”他说！走')).toEqual(['今天下雨。', '“好吗？”', '他说！', '走']);
    expect(sentences(' \n ')).toEqual([]);
  });

  it('covers every text, and cuts runs that do not end', () => {
    expect(sentences('x'.repeat(5000)).map((one) => one.length)).toEqual([2000, 2000, 1000]);
    fc.assert(
      fc.property(wildText, (text) => {
        expect(sentences(text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });
});
