import { expect, it } from 'vitest';
import { auditCoverage } from '../../src/chunking/index.js';
import type { ChunkColumns } from '../../src/model/chunk.js';
import { BlockKind } from '../../src/model/document.js';
import { chunk } from './checks.js';
import { markdown, plain } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

const drop = (chunks: ChunkColumns, row: number): ChunkColumns => ({
  ...chunks,
  start: chunks.start.filter((_, i) => i !== row),
  end: chunks.end.filter((_, i) => i !== row),
});

it('finds text that no chunk holds', () => {
  const document = plain('aa bb\n\ncc dd\n\nee ff');
  const chunks = chunk(document, { strategy: 'window', limitTokens: 2, tokenizer: wordTokenizer });
  expect(auditCoverage(document, chunks)).toEqual({ uncovered: [], overLimit: 0, maxTokens: 2 });
  expect(auditCoverage(document, drop(chunks, 1)).uncovered).toEqual([{ start: 7, end: 12 }]);
  expect(auditCoverage(document, drop(chunks, 2)).uncovered).toEqual([{ start: 14, end: 19 }]);
  expect(auditCoverage(document, drop(chunks, 0)).uncovered).toEqual([{ start: 0, end: 5 }]);
});

it('does not ask for front matter, and counts what is over the limit', () => {
  const document = markdown('---\ntitle: x\n---\n\nsome words here');
  const chunks = chunk(document, { strategy: 'whole', limitTokens: 2, tokenizer: wordTokenizer });
  expect(auditCoverage(document, chunks)).toEqual({ uncovered: [], overLimit: 1, maxTokens: 4 });
});

it('takes a chunk at its word that goes on behind front matter', () => {
  const document = plain('aa bb cc dd');
  const { sections, text } = document;
  const blocks = {
    start: Uint32Array.of(3),
    end: Uint32Array.of(5),
    kind: Uint8Array.of(BlockKind.frontMatter),
    section: Uint32Array.of(0),
  };
  const chunks = chunk(document, { strategy: 'whole', limitTokens: 9, tokenizer: wordTokenizer });
  expect(auditCoverage({ ...document, sections, text, blocks }, chunks).uncovered).toEqual([]);
});
