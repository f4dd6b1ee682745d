import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createChunker, resolveChunkOptions } from '../../src/chunking/index.js';
import { makeDocument } from '../../src/documents/index.js';
import type { Chunker } from '../../src/model/chunker.js';
import type { DocumentInput } from '../../src/model/document.js';
import { textAt } from '../../src/model/text-column.js';
import { embeddingText } from '../../src/store/embedding-texts.js';
import { loadBpe, segmentForKeywords } from '../../src/tokens/index.js';

const TABLE = `| 型号 | Preis |\n|---|---|\n${Array.from({ length: 60 }, (_, i) => `| 窑炉 ${i} 号 | ${i} € |`).join('\n')}`;

const INPUTS: DocumentInput[] = [
  {
    id: 'en.md',
    format: 'markdown',
    text: `# Guide\n\nBefore.\n\n## Kilns\n\n${'The kiln glows. '.repeat(120)}`,
  },
  {
    id: 'zh.md',
    format: 'markdown',
    title: '工作室 手册',
    text: `# 仓库\n\n## 钥匙 在哪里\n\n${'仓库钥匙在抽屉里。'.repeat(80)}`,
  },
  {
    id: 'mixed.md',
    format: 'markdown',
    title: '手册',
    text: `# Kiln 窑\n\n${'Only English words here. '.repeat(80)}`,
  },
  { id: 'table.md', format: 'markdown', text: `# 价格\n\n${TABLE}` },
  {
    id: 'long.md',
    format: 'markdown',
    title: '很长的标题'.repeat(60),
    text: `# ${'另一个标题 '.repeat(40)}\n\n正文。`,
  },
  { id: 'plain.txt', title: '', text: '好 你好 世界\n\n一 二 三' },
];

let chunker: Chunker;

beforeAll(() => {
  const bpe = loadBpe('cl100k');
  chunker = createChunker(
    resolveChunkOptions(
      { limitTokens: 64, overlapTokens: 8 },
      { tokenizer: bpe, loadEncoding: () => bpe, windowTokens: 256, specialTokens: 0, prefixTokens: 0 },
    ),
  );
});

const hashOf = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16);

/** Chunk by chunk: what the embedder read, and what is made of what the store keeps of it. */
async function rebuilt(input: DocumentInput, withHash = true) {
  const document = makeDocument(input);
  const { embeddingText: column, start, end, headingPath } = await chunker.chunk(document);
  return Array.from(start, (_, row) => {
    const read = textAt(column, row);
    const slice = document.text.slice(start[row], end[row]);
    const { title } = document;
    const stored = { title, headingPath: headingPath[row]!, slice, keywordText: segmentForKeywords(read) };
    return { read, ...embeddingText({ ...stored, hash: withHash ? hashOf(read) : null }) };
  });
}

describe('embeddingText', () => {
  it.each(INPUTS.map((input) => [input.id, input] as const))(
    'is what the embedder read of %s',
    async (_, input) => {
      const chunks = await rebuilt(input);
      expect(chunks.length).toBeGreaterThan(0);
      for (const { text, read, certain } of chunks)
        expect({ text, certain }).toEqual({ text: read, certain: true });
    },
  );

  it('needs no hash where no words were cut, and says where it does', async () => {
    for (const { text, read, certain } of await rebuilt(INPUTS[0]!, false)) {
      expect({ text, certain }).toEqual({ text: read, certain: true });
    }
    for (const { text, certain } of await rebuilt(INPUTS[1]!, false)) {
      expect(text).toContain('钥匙');
      expect(certain).toBe(false);
    }
  });

  it('is never called certain where the hash says otherwise', () => {
    const stored = { title: 'a', headingPath: '', slice: 'text', keywordText: 'a\ntext' };
    expect(embeddingText({ ...stored, hash: hashOf('something else') }).certain).toBe(false);
  });

  it('holds for mixed scripts', async () => {
    const word = fc.constantFrom(
      '你好',
      '世界',
      '仓库钥匙',
      '一',
      'kiln',
      'E1043',
      '更新build',
      '。',
      '2024年',
      'ﬀ',
      '𠮷野',
    );
    const line = fc
      .array(word, { minLength: 1, maxLength: 12 })
      .map((words) => words.join(' ').replaceAll(' 。', '。'));
    await fc.assert(
      fc.asyncProperty(
        line,
        line,
        fc.array(line, { minLength: 1, maxLength: 6 }),
        async (title, heading, lines) => {
          const text = `# ${heading}\n\n${lines.join('\n\n')}`;
          for (const { text: made, read, certain } of await rebuilt({
            id: 'x',
            format: 'markdown',
            title,
            text,
          })) {
            // Where it cannot be told, it must say so.
            if (certain) expect(made).toBe(read);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
