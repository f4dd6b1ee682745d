import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditFolder, openIndex } from '../../src/index.js';
import { folderWith } from '../cli/command.js';

const SENTENCES = Array.from({ length: 60 }, (_, n) => `Sentence ${n} says that kiln ${n * 7} is hot.`);
const NAVIGATION = Array.from(
  { length: 60 },
  (_, n) => `<li><a href="p${n}">Chapter ${n} of the book</a></li>`,
);

let folder: Awaited<ReturnType<typeof folderWith>>;
const at = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await folderWith({
    'docs/guide.md': `---\ntitle: Guide\n---\n# Kilns\n\n${SENTENCES.join(' ')}\n\n## Doors\n\nDoors stay shut.\n`,
    'docs/notes.txt': `${SENTENCES.slice(0, 30).join(' ')}\n\nThis is 漢字とかな 👍🏽 and caf\u0065\u0301.\n`,
    'docs/page.html':
      '<title>Refunds</title><main><h1>Refunds</h1><p>Credit expires after 90 days.</p></main>',
    'docs/tool.py': 'def rotate(days):\n    """Rotates keys."""\n    return days\n',
    'docs/records.jsonl':
      '{"id":"r1","text":"The studio closes at nine."}\n{"id":"r2","text":"It opens at six."}\n',
    'docs/empty.txt': '  \n',
    'docs/image.png': 'no document',
    'pages/index.html': `<title>T</title><nav><ul>${NAVIGATION.join('')}</ul></nav><main><p>One sentence of text.</p></main>`,
    'twice/a.jsonl': '{"id":"same","text":"One of them."}\n{"id":"same","text":"Another one."}\nnot json\n',
    'twice/b.md': 'The same text.\n',
    'twice/c.md': '\n\nThe same text.\n\n',
    'odd/markup.adoc': '\tx [!aourt\tᅡ \n\n\n.  \n\n\n[quote]\n____\n',
    'legacy/a.txt': Buffer.from('93fa967b8cea82cc835183608358835e815b', 'hex'),
  });
});
afterAll(() => folder.remove());

describe('auditFolder', () => {
  it('finds no two chunks with one start where little fits and much is shared', async () => {
    const { violations } = await auditFolder(at('odd'), {
      chunking: { tokens: 'cl100k', limitTokens: 8, overlapTokens: 3 },
    });
    expect(violations.listed).toEqual([]);
  });

  it('finds nothing in documents of many formats, and counts all of them', async () => {
    const seen: number[] = [];
    const report = await auditFolder(at('docs'), { onProgress: ({ documents }) => seen.push(documents) });
    expect(report.violations).toEqual({ total: 0, byRule: {}, listed: [] });
    expect(report.clean).toBe(true);
    expect(report.byFormat).toMatchObject({
      markdown: { documents: 1 },
      text: { documents: 1 },
      html: { documents: 1 },
      code: { documents: 1 },
      jsonl: { documents: 2 },
    });
    expect(report).toMatchObject({
      documents: 6,
      filesSeen: 6,
      filesDone: 5,
      filesFailed: 1,
      filesIgnored: 1,
    });
    expect(report.skippedByCode).toEqual({ SLUICE_DOCUMENT_EMPTY: 1 });
    expect(report.frontMatterChars).toBe('---title:Guide---'.length);
    expect(report.orphaned.examples).toEqual([]);
    expect(report.peakMemoryBytes).toBeGreaterThan(10_000_000);
    expect(seen.at(-1)).toBe(6);
    const { sizes } = report;
    expect(sizes.histogram.reduce((sum, { chunks }) => sum + chunks, 0)).toBe(report.chunks);
    expect(sizes.largest).toBeLessThanOrEqual(sizes.limitTokens);
    expect(sizes.p50).toBeGreaterThanOrEqual(sizes.smallest);
    expect(sizes.p50).toBeLessThanOrEqual(sizes.p90);
    expect(sizes.p90).toBeLessThanOrEqual(sizes.largest);
  });

  it('cuts by the options that it is given, as an index would', async () => {
    const chunking = { strategy: 'window', limitTokens: 40 } as const;
    const report = await auditFolder([at('docs')], { chunking, threads: 1 });
    expect(report.clean).toBe(true);
    expect(report.sizes.limitTokens).toBe(40);
    const index = await openIndex(at('index'), { chunking, reranker: false });
    try {
      await index.add(at('docs'));
      const { chunks } = await index.count();
      expect(report.chunks).toBe(chunks);
    } finally {
      await index.close();
    }
  });

  it('fails a file of whose text readers dropped too much, and says why', async () => {
    const report = await auditFolder(at('pages'));
    expect(report.clean).toBe(false);
    expect(report.violations.total).toBe(0);
    expect(report.dropped.failed).toBe(1);
    expect(report.dropped.worst).toMatchObject([
      { document: 'pages/index.html', reason: 'navigation', fails: true },
    ]);
    expect(report.dropped.worst[0]!.share).toBeGreaterThan(0.9);
    expect(report.dropped.byReason[0]).toMatchObject({ reason: 'navigation', isText: true, documents: 1 });
    expect((await auditFolder(at('pages'), { maxDroppedShare: 1 })).clean).toBe(true);
  });

  it('tells repeated texts, refuses an id that comes twice, and lists bad records', async () => {
    const report = await auditFolder(at('twice'));
    expect(report.repeated).toMatchObject({ chunks: 1, exact: true, most: [{ chunks: 2, line: 3 }] });
    expect(report.skippedByCode).toEqual({ SLUICE_DUPLICATE_ID: 1, SLUICE_RECORD_INVALID: 1 });
    expect(report.clean).toBe(true);
  });

  it('takes a sample of the files, the same each time', async () => {
    const [first, second] = [
      await auditFolder(at('docs'), { sample: 3 }),
      await auditFolder(at('docs'), { sample: 3 }),
    ];
    expect(first.filesDone + first.filesFailed).toBe(3);
    expect(first.byFormat).toEqual(second.byFormat);
    expect(first.chunks).toBe(second.chunks);
  });

  it('reads in the encoding that it is told', async () => {
    const told = await auditFolder(at('legacy'), { encoding: 'shift_jis' });
    expect(told.chars).toBe('日本語のゲチスター'.length);
    await expect(auditFolder(at('legacy'), { encoding: 'klingon' })).rejects.toMatchObject({
      code: 'SLUICE_USAGE',
    });
  });

  it('keeps paths that lie in each other apart, and names that are the same', async () => {
    const report = await auditFolder([folder.path, at('docs'), at('docs/guide.md')], {
      include: ['**/*.md', '*.md'],
    });
    expect(report.byFormat.markdown?.documents).toBe(3);
    expect(report.repeated.chunks).toBe(1);
  });

  it('says what is wrong with the call', async () => {
    const codeOf = (promise: Promise<unknown>) => promise.then(String, ({ code }) => code);
    expect(await codeOf(auditFolder(at('missing')))).toBe('SLUICE_NOT_FOUND');
    expect(await codeOf(auditFolder([]))).toBe('SLUICE_USAGE');
    expect(await codeOf(auditFolder(at('docs'), { sample: 0 }))).toBe('SLUICE_USAGE');
    expect(await codeOf(auditFolder(at('docs'), { maxDroppedShare: 2 }))).toBe('SLUICE_USAGE');
    expect(await codeOf(auditFolder(at('docs'), { exlude: ['a'] } as never))).toBe('SLUICE_USAGE');
    expect(await codeOf(auditFolder(at('docs'), { include: ['none'] }))).toBe('SLUICE_NO_DOCUMENTS');
    expect(await codeOf(auditFolder(at('docs'), { signal: AbortSignal.abort() }))).toBe('SLUICE_ABORTED');
    expect(readdirSync(folder.path)).not.toContain('.sluice');
  });
});
