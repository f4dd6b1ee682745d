import { describe, expect, it } from 'vitest';
import { createChunker } from '../../src/chunking/index.js';
import { CHUNK_STRATEGIES } from '../../src/model/chunker.js';
import { BlockKind, type Document } from '../../src/model/document.js';
import { cpuMs } from '../cpu-time.js';
import { resolved } from './checks.js';
import { makeDocument, markdown, plain } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

/** About n characters of the awkward sort. */
const TEXTS: Record<string, (n: number) => Document> = {
  'a line without blanks': (n) => plain('x'.repeat(n)),
  'a line of commas': (n) => plain('ab,'.repeat(n / 3)),
  'white space with a word at each end': (n) => plain(`a${' '.repeat(n)}b`),
  'short lines': (n) => plain('}\n'.repeat(n / 2)),
  'a table of one block': (n) => markdown(`| a | b |\n|---|---|\n${'| c | d |\n'.repeat(n / 10)}`),
  'headings without text': (n) => markdown('# a\n\n'.repeat(n / 5)),
  clauses: (n) =>
    plain(Array.from({ length: n / 20 }, (_, i) => `\n1.${i % 999}.${i} Some clause.\n(a) x;`).join('')),
  questions: (n) => markdown('- Who is it?\n'.repeat(n / 13)),
  'one block of code': (n) => {
    const text = 'f();\n'.repeat(n / 5);
    return makeDocument(text, [], [{ start: 0, end: text.length, kind: BlockKind.code, section: 0 }]);
  },
};

const NOISE_MS = 30;

const embed = async (texts: readonly string[]) => ({
  rows: texts.length,
  dims: 1,
  data: new Float32Array(texts.length).fill(1),
});

describe.each(CHUNK_STRATEGIES)('%s takes time in proportion to', (strategy) => {
  it.each(Object.keys(TEXTS))('%s', async (name) => {
    const chunker = createChunker(
      resolved({
        strategy,
        limitTokens: 16,
        overlapTokens: 2,
        tokenizer: wordTokenizer,
        ...(strategy === 'semantic' && { semantic: { percentile: 95, buffer: 1, model: 'm', embed } }),
      }),
    );
    const timed = async (n: number) => {
      const document = TEXTS[name]!(n);
      const runs: number[] = [];
      for (let run = 0; run < 2; run++) {
        const before = cpuMs();
        await chunker.chunk(document);
        runs.push(cpuMs() - before);
      }
      return Math.min(...runs);
    };
    let ratio = 0;
    // A garbage collection may fall into one measurement, but not into three.
    for (let attempt = 0; attempt < 3; attempt++) {
      const [once, twice] = [await timed(30_000), await timed(60_000)];
      // What is this fast says more about the clock than about the length.
      ratio = twice < NOISE_MS ? 0 : twice / once;
      if (ratio < 3) break;
    }
    expect(ratio).toBeLessThan(3);
  });
});

it('makes more windows of a block than a call takes arguments', () => {
  const text = 'ab '.repeat(500_000);
  for (const strategy of ['structure', 'recursive', 'parent-child'] as const) {
    const chunker = createChunker(resolved({ strategy, limitTokens: 2, tokenizer: wordTokenizer }));
    const chunks = chunker.chunk(plain(text));
    expect(chunks instanceof Promise || chunks.start.length).toBe(250_000);
  }
}, 60_000);
