import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import type { StoreReader } from '../../src/model/store.js';
import { exportIndex, FORMAT_VERSION, importIndex, openStore, verifyIndex } from '../../src/store/index.js';
import { EXCHANGE_VERSION } from '../../src/store/maintenance/exchange.js';
import { FIXTURES, golden } from './golden-index.js';
import { batch, DIMS, document, newFolder, vectorOf } from './support.js';

const exported = (ending: string) => join(FIXTURES, `export-v${EXCHANGE_VERSION}.${ending}`);
const whole = () => golden(FORMAT_VERSION, 'whole');
/** So that what is written anew has a graph and columns too. */
const SMALL = { threads: 1, graphThreshold: 20, filterThreshold: 5 };

/** Bytes of the vectors of a database, each size once. */
function vectorSizes(folder: string): unknown[] {
  const db = new Database(join(folder, 'sluice.db'), { readonly: true });
  const sizes = db.prepare('SELECT DISTINCT length(data) FROM vectors').pluck().all();
  db.close();
  return sizes;
}

const endingsOf = (folder: string) => readdirSync(folder).map((name) => name.slice(name.lastIndexOf('.')));

/** Of an export: lines, or rows, for what packs a Parquet file is not ours. */
async function contentOf(file: string): Promise<unknown[]> {
  return file.endsWith('.jsonl')
    ? readFileSync(file, 'utf8').split('\n')
    : parquetReadObjects({ file: await asyncBufferFromFile(file) });
}

/** What the index and the exports of it hold alike. */
async function expectContent(reader: StoreReader): Promise<void> {
  const stats = await reader.stats();
  expect(stats).toMatchObject({ documents: 25, chunks: 37, sources: 2, problems: [] });
  expect(stats.failedSources).toMatchObject([
    { source: 'docs/bad.pdf', status: 'failed', error: { code: 'SLUICE_FILE_UNREADABLE' } },
  ]);
  await expectFilters(reader);
  await expectParents(reader);
  const all = await reader.select(undefined);
  const labels = async (text: string) => (await reader.searchVectors(vectorOf(text), 1, all, 100)).labels;
  expect(await reader.chunks(await labels('alpha number5'))).toMatchObject([{ documentId: 'docs/5.md' }]);
  expect(await reader.chunks(await labels('bravo 😀'))).toMatchObject([{ documentId: 'docs/late.md' }]);
  expect((await reader.searchKeywords('title', 9, all)).labels).toHaveLength(2);
  expect((await reader.document('docs/late.md'))!.text).toBe('bravo 😀\ncharlie');
}

async function expectFilters(reader: StoreReader): Promise<void> {
  for (const [filter, chunks] of [
    [{ n: { gte: 20 } }, 4],
    [{ half: { lt: 1.5 } }, 3],
    [{ even: true }, 12],
    [{ lang: 'de' }, 11],
    [{ lang: 'fr' }, 1],
    [{ lang: 'en', n: { exists: false } }, 12],
    [{ at: { gte: '2026-01-21T00:00:00.000Z' } }, 4],
    [{ tags: { contains: ['golden'] } }, 23],
  ] as const) {
    expect((await reader.select(filter)).count, JSON.stringify(filter)).toBe(chunks);
  }
}

async function expectParents(reader: StoreReader): Promise<void> {
  const guide = await reader.document('docs/guide.md');
  const text = 'The blue kiln number 2 is fired slowly';
  const child = guide!.chunks.find((chunk) => chunk.text === text)!;
  expect(child).toMatchObject({ headingPath: 'Blue', page: 2, startLine: 7, tokens: 12 });
  const [parent] = await reader.parents(Uint32Array.of(child.label));
  expect(parent).toMatchObject({
    text: `${text} at night. The blue kiln number 3 is fired slowly at night.`,
    start: 306,
    end: 403,
    page: 2,
  });
  const spans = guide!.chunks.map(({ parentStart, parentEnd }) => `${parentStart} ${parentEnd}`);
  expect([...new Set(spans)]).toEqual(['0 102', '103 198', '200 305', '306 403']);
  const near = await reader.searchVectors(vectorOf(`Blue\n${text}`), 1, await reader.select(undefined), 100);
  expect([...near.labels]).toEqual([child.label]);
}

it('opens an index with all that the present format can hold, and answers from what is derived', async () => {
  const folder = whole();
  expect(readdirSync(join(folder, 'graph')).sort()).toEqual(['1.hnsw', '1.json']);
  expect(JSON.parse(readFileSync(join(folder, 'graph', '1.json'), 'utf8')).version).toBe(2);
  expect(readdirSync(join(folder, 'filters'))).toEqual(['1.cols']);
  expect(vectorSizes(folder)).toEqual([2 * DIMS]);
  expect(await verifyIndex(folder)).toMatchObject({ ok: true, findings: [] });
  const store = await openStore(folder, { threads: 1 });
  const reader = await store.reader();
  const { generation, graphVectors, tailVectors, bytes } = await reader.stats();
  expect({ generation, graphVectors, tailVectors }).toEqual({
    generation: 2,
    graphVectors: 35,
    tailVectors: 2,
  });
  expect(bytes.filters).toBeGreaterThan(0);
  await expectContent(reader);
  await store.close();
});

it('writes on in the same forms', async () => {
  const folder = whole();
  const store = await openStore(folder, SMALL);
  const writer = await store.writer();
  await writer.commit(batch([document('docs/new.md', ['delta'], { metadata: { lang: 'it' } })]));
  await writer.compact();
  const reader = await store.reader();
  expect((await reader.select({ lang: 'it' })).count).toBe(1);
  expect(await reader.stats()).toMatchObject({ graphVectors: 38, tailVectors: 0, problems: [] });
  await store.close();
  expect(vectorSizes(folder)).toEqual([2 * DIMS]);
  expect(endingsOf(join(folder, 'graph')).sort()).toEqual(['.hnsw', '.json']);
  expect(endingsOf(join(folder, 'filters'))).toEqual(['.cols']);
  expect(await verifyIndex(folder)).toMatchObject({ ok: true, findings: [] });
});

describe.each(['jsonl', 'parquet'])('an export of the present version as %s', (ending) => {
  it('is read', async () => {
    const folder = join(newFolder(), 'made');
    expect(
      await importIndex(exported(ending), folder, { graphThreshold: SMALL.graphThreshold }),
    ).toMatchObject({ documents: 25, chunks: 37 });
    const store = await openStore(folder, { threads: 1 });
    await expectContent(await store.reader());
    await store.close();
    // Its dials come along.
    expect(vectorSizes(folder)).toEqual([2 * DIMS]);
    expect(endingsOf(join(folder, 'graph')).sort()).toEqual(['.hnsw', '.json']);
    expect(await verifyIndex(folder)).toMatchObject({ ok: true, findings: [] });
  });

  it('is what is written', async () => {
    const file = join(newFolder(), `again.${ending}`);
    await exportIndex(whole(), file);
    expect(await contentOf(file)).toEqual(await contentOf(exported(ending)));
  });
});
