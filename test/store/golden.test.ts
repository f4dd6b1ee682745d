import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { FORMAT_VERSION, migrateStore, openStore, verifyIndex } from '../../src/store/index.js';
import { GOLDEN_OPTIONS, makeGolden } from './make-golden.js';
import { batch, document, newFolder, passport, vectorOf } from './support.js';

const GOLDEN = fileURLToPath(new URL('../fixtures/', import.meta.url));

it.runIf(process.env.MAKE_GOLDEN)('makes the golden index', () =>
  makeGolden(join(GOLDEN, `index-v${FORMAT_VERSION}`)),
);

/** A copy of the golden index of a format version. */
function golden(version: number): string {
  const folder = join(newFolder(), 'copy');
  cpSync(join(GOLDEN, `index-v${version}`), folder, { recursive: true });
  return folder;
}

it('opens an index of the present format version, answers from it and writes to it', () =>
  answersAndWrites(golden(FORMAT_VERSION)));

it.each([1, 2])(
  'says how an index of format version %i is brought up to date, and does it',
  async (version) => {
    const folder = golden(version);
    await expect(openStore(folder, GOLDEN_OPTIONS)).rejects.toMatchObject({
      code: 'SLUICE_INDEX_VERSION',
      message: expect.stringContaining('sluice migrate'),
      details: { expected: FORMAT_VERSION, actual: version },
    });
    expect(await migrateStore(folder)).toEqual({ from: version, to: FORMAT_VERSION });
    expect(await migrateStore(folder)).toEqual({ from: FORMAT_VERSION, to: FORMAT_VERSION });
    await answersAndWrites(folder);
  },
);

it('leaves damage where it was when it brings an index up to date', async () => {
  const folder = golden(2);
  const db = new Database(join(folder, 'sluice.db'));
  db.exec("UPDATE chunks SET heading_path = 'made up' WHERE label = 8");
  db.close();
  await migrateStore(folder);
  const { findings } = await verifyIndex(folder);
  expect(findings.filter(({ place }) => place.includes('docs/7.md'))).toHaveLength(1);
});

async function answersAndWrites(folder: string): Promise<void> {
  const store = await openStore(folder, GOLDEN_OPTIONS);
  expect(store.passport).toEqual(passport());
  const reader = await store.reader();
  expect(await reader.stats()).toMatchObject({
    generation: 2,
    documents: 24,
    chunks: 25,
    sources: 1,
    graphVectors: 23,
    tailVectors: 2,
    problems: [],
  });
  const all = await reader.select(undefined);
  const keyword = await reader.searchKeywords('number7', 3, all);
  expect(await reader.chunks(keyword.labels)).toMatchObject([
    {
      label: 8,
      chunkId: '71d2308e346d6e8df6b2',
      documentId: 'docs/7.md',
      title: 'Number 7',
      text: 'alpha number7',
      startLine: 1,
      tokens: 2,
      kind: 'prose',
      metadata: { n: 7, tags: ['golden', null] },
    },
  ]);
  expect([...(await reader.searchKeywords('title', 9, all)).labels].sort()).toEqual([25, 26]);
  expect([...(await reader.searchVectors(vectorOf('alpha number5'), 1, all)).labels]).toEqual([6]);
  expect([...(await reader.searchVectors(vectorOf('bravo 😀'), 1, all)).labels]).toEqual([25]);
  expect((await reader.select({ n: { gte: 20 }, tags: { contains: ['golden'] } })).count).toBe(4);
  expect((await reader.document('docs/late.md'))!.text).toBe('bravo 😀\ncharlie');
  const writer = await store.writer();
  expect(await writer.rootName('/somewhere/docs')).toBe('docs');
  expect(await writer.documentsOf('docs/0.md')).toEqual(['docs/0.md']);
  await writer.commit(batch([document('docs/new.md', ['delta'])]));
  await writer.publish();
  await reader.refresh();
  expect((await reader.searchKeywords('delta', 1, await reader.select(undefined))).labels).toHaveLength(1);
  await store.close();
}
