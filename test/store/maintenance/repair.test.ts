import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openStore, repairIndex, verifyIndex } from '../../../src/store/index.js';
import { SALVAGED_TABLES } from '../../../src/store/maintenance/salvage.js';
import { TABLE_NAMES } from '../../../src/store/schema.js';
import { batch, document } from '../support.js';
import { answersOf, change, filledFolder, GRAPH, liveIds, neededFile, query } from './fixture.js';

const OPTIONS = { graphThreshold: 20 };

/** Rows that the keyword index is filled from, and cannot be. */
const DAMAGED_ROWS = {
  'keyword texts that cannot be unpacked': "UPDATE keyword_texts SET data = x'ffffff' WHERE body = $body",
  'keyword texts that are missing': 'DELETE FROM keyword_texts WHERE body = $body',
  'keyword texts that are no UTF-8': `UPDATE keyword_texts SET data = x'${noText().toString('hex')}' WHERE body = $body`,
  'a text that is too short': "UPDATE document_pages SET text = 'x' WHERE body = $body",
  'a chunk that is missing':
    'DELETE FROM chunks WHERE label = (SELECT max(label) FROM chunks WHERE body = $body)',
  'a chunk with another span': 'UPDATE chunks SET "end" = -5 WHERE body = $body',
};

/** Of two rows, each of two bytes that no text holds. */
function noText(): Buffer {
  const head = Buffer.alloc(8);
  for (const at of [0, 4]) head.writeUInt32LE(2 * 2, at);
  return deflateRawSync(Buffer.concat([head, Buffer.of(0xff, 0xfe, 0xc3, 0x28)]));
}

/** The ids of the chunks that each word is found in. */
async function wordsFound(folder: string, words: string[]): Promise<string[][]> {
  const store = await openStore(folder, OPTIONS);
  const reader = await store.reader();
  const all = await reader.select(undefined);
  const found: string[][] = [];
  for (const word of words) {
    const { labels } = await reader.searchKeywords(word, 100, all);
    found.push((await reader.chunks(labels)).map(({ documentId }) => documentId));
  }
  await store.close();
  return found;
}

describe('repair', () => {
  it('leaves a sound index as it is', async () => {
    const folder = await filledFolder();
    const before = await answersOf(folder);
    expect(await repairIndex(folder, OPTIONS)).toMatchObject({
      ok: true,
      findings: [],
      rebuilt: [],
      dropped: [],
      remaining: [],
    });
    expect(await answersOf(folder)).toEqual(before);
  });

  it.each(['keywords', 'graph'] as const)(
    'builds the %s anew where a file is damaged, cut or missing',
    async (part) => {
      for (const damage of [flip, (file: string) => truncateSync(file, 9), (file: string) => rmSync(file)]) {
        const folder = await filledFolder();
        const before = await answersOf(folder);
        damage(neededFile(folder, part, /\.(idx|hnsw|graph)$/));
        const left = readdirSync(join(folder, part)).length;
        const report = await repairIndex(folder, OPTIONS);
        // No graph at all is no damage: its vectors are scanned until the next publish, which a repair makes.
        const isGone = part === 'graph' && left === 0;
        const rebuilt = isGone ? [] : [part];
        expect(report).toMatchObject({ ok: true, rebuilt, dropped: [], damaged: [], remaining: [] });
        expect(report.findings.length > 0).toBe(!isGone);
        const after = await answersOf(folder);
        expect({ ...after, found: {} }).toEqual({ ...before, found: {} });
        expect(await verifyIndex(folder)).toMatchObject({ ok: true });
      }
    },
  );

  it.each(Object.entries(DAMAGED_ROWS))(
    'builds the keywords anew for all but the document whose rows are damaged: %s',
    async (_, damage) => {
      const folder = await filledFolder();
      const before = await answersOf(folder);
      change(folder, damage.replaceAll('$body', "(SELECT body FROM documents WHERE id = 'docs/7.md')"));
      rmSync(join(folder, 'keywords'), { recursive: true });
      const report = await repairIndex(folder, OPTIONS);
      expect(report).toMatchObject({ rebuilt: ['keywords'], damaged: [{ id: 'docs/7.md' }], dropped: [] });
      expect(new Set(report.remaining.map(({ part }) => part))).toEqual(new Set(['database']));
      const [number8, charlie, han] = await wordsFound(folder, ['number8', 'charlie', '不同']);
      expect([number8, charlie]).toEqual([['docs/8.md', 'docs/8.md', 'docs/8.md'], ['docs/late.md']]);
      expect(han!.length).toBe(before.found['words 不同']!.length);
      // What the index says of itself, until the document is dropped or comes anew; and it is not built anew each time.
      const store = await openStore(folder, OPTIONS);
      const { problems } = await (await store.reader()).stats();
      expect(problems).toEqual([
        expect.stringMatching(/was missing; keyword search finds [12] chunks no more, .*'sluice verify'/),
      ]);
      const writer = await store.writer();
      await writer.commit(batch([document('docs/new.md', ['alpha brand new'])]));
      await writer.publish();
      expect((await (await store.reader()).stats()).problems).toEqual(problems);
      await store.close();
      expect(await repairIndex(folder, { ...OPTIONS, dropDamaged: true })).toMatchObject({ ok: true });
    },
    60_000,
  );

  it('says of a database that is lost, or that cannot be read, what is left to do', async () => {
    const damages = [
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, ''),
      (file: string) => writeFileSync(file, 'no database'.repeat(10_000)),
    ];
    for (const damage of damages) {
      const folder = await filledFolder();
      damage(join(folder, 'sluice.db'));
      const found = await verifyIndex(folder);
      expect(found).toMatchObject({
        ok: false,
        readable: false,
        checked: { keywordFiles: 0, graphFiles: 0 },
      });
      expect(found.findings.map(({ part }) => part)).toEqual(['database']);
      for (const dropDamaged of [false, true]) {
        const error = await repairIndex(folder, { ...OPTIONS, dropDamaged }).catch((reason) => reason);
        expect(error).toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
        expect(error.message).toMatch(/restore a backup, or index the documents again into a new folder$/);
        expect(error.message).not.toMatch(/sluice (verify|repair)/);
      }
    }
  });

  it('names documents with damaged rows, and removes exactly those when it is told to', async () => {
    const folder = await filledFolder();
    const ids = liveIds(folder);
    change(
      folder,
      `UPDATE vectors SET checksum = 1 WHERE label IN (SELECT label FROM chunks JOIN documents USING(body) WHERE id = 'docs/7.md');
      UPDATE document_pages SET text = 'x' || text WHERE body IN (SELECT body FROM documents WHERE id = 'docs/9.md')`,
    );
    const named = await repairIndex(folder, OPTIONS);
    expect(named).toMatchObject({ ok: false, dropped: [] });
    const damaged = named.damaged.map(({ id, source }) => `${id} of ${source}`).sort();
    expect(damaged).toEqual(['docs/7.md of docs/7.md', 'docs/9.md of docs/9.md']);
    expect(liveIds(folder)).toEqual(ids);
    const report = await repairIndex(folder, { ...OPTIONS, dropDamaged: true });
    expect(report).toMatchObject({ ok: true, damaged: [], remaining: [] });
    expect(report.dropped.map(({ id }) => id).sort()).toEqual(['docs/7.md', 'docs/9.md']);
    expect(report.forgotten).toEqual(['docs/7.md', 'docs/9.md']);
    expect(liveIds(folder)).toEqual(ids.filter((id) => !['docs/7.md', 'docs/9.md'].includes(id)));
    expect(
      query(folder, "SELECT source FROM sources WHERE source IN ('docs/7.md', 'docs/8.md', 'docs/9.md')"),
    ).toEqual([{ source: 'docs/8.md' }]);
    const { found, counts } = await answersOf(folder);
    expect(counts.documents).toBe(ids.length - 2);
    expect(found['words number7']).toEqual([]);
  });

  it('reads all files again where a damaged row hides whose it was', async () => {
    const folder = await filledFolder();
    change(folder, "UPDATE documents SET source = 'docs/0.mx' WHERE id = 'docs/7.md'");
    const report = await repairIndex(folder, { ...OPTIONS, dropDamaged: true });
    expect(report).toMatchObject({ ok: true, forgotten: 'all', dropped: [{ id: 'docs/7.md' }] });
    expect(query(folder, 'SELECT source FROM sources')).toEqual([]);
  });

  it('puts indexes, counts and lost links in order without losing a document', async () => {
    const folder = await filledFolder();
    const before = await answersOf(folder);
    change(folder, "UPDATE sqlite_sequence SET seq = 3 WHERE name = 'chunks'");
    const report = await repairIndex(folder, OPTIONS);
    expect(report).toMatchObject({ ok: true, dropped: [], damaged: [] });
    expect(report.rebuilt).toContain('database');
    const after = await answersOf(folder);
    expect({ ...after, found: {} }).toEqual({ ...before, found: {} });
  });

  it('saves what lies beside a page that cannot be read', async () => {
    const folder = await filledFolder();
    const [{ page }] = query<{ page: number }>(
      folder,
      "SELECT rootpage AS page FROM sqlite_master WHERE name = 'keyword_texts'",
    ) as [{ page: number }];
    const pages = readFileSync(join(folder, 'sluice.db'));
    // An interior or only page: overwritten, its table is lost and with it what each document needs.
    pages.fill(0xee, (page - 1) * 8192, page * 8192);
    writeFileSync(join(folder, 'sluice.db'), pages);
    const report = await repairIndex(folder, { ...OPTIONS, dropDamaged: true });
    expect(report.ok).toBe(true);
    expect(report.dropped.length).toBeGreaterThan(0);
    const store = await openStore(folder, GRAPH);
    await (await store.writer()).close();
    await store.close();
  });

  it('never gives a label out twice', async () => {
    const folder = await filledFolder();
    const [before] = query<{ seq: number }>(folder, "SELECT seq FROM sqlite_sequence WHERE name = 'chunks'");
    change(folder, 'UPDATE vectors SET checksum = 1');
    await repairIndex(folder, { ...OPTIONS, dropDamaged: true });
    expect(liveIds(folder)).toEqual(['docs/none.md']);
    expect(query(folder, "SELECT seq FROM sqlite_sequence WHERE name = 'chunks'")).toEqual([before]);
  });

  it('knows every table', () => {
    expect([...SALVAGED_TABLES].sort()).toEqual([...TABLE_NAMES].sort());
  });

  it('refuses while another writes', async () => {
    const folder = await filledFolder();
    const store = await openStore(folder);
    await store.writer();
    await expect(repairIndex(folder)).rejects.toMatchObject({ code: 'SLUICE_INDEX_LOCKED' });
    await store.close();
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(file, bytes);
}
