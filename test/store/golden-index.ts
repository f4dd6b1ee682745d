import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { GOLDEN_OPTIONS } from './make-golden.js';
import { batch, document, newFolder, passport, vectorOf } from './support.js';

export const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

/**
 * Where the golden index of a format version lies, or another one of it. It is not to be opened there: opening writes.
 * @param kind 'whole' for the one with all that its format can hold
 */
export const goldenFolder = (version: number, kind?: 'whole') =>
  join(FIXTURES, [`index-v${version}`, kind ?? []].flat().join('-'));

/** A copy of it. */
export function golden(version: number, kind?: 'whole'): string {
  const folder = join(newFolder(), 'copy');
  cpSync(goldenFolder(version, kind), folder, { recursive: true });
  return folder;
}

/** Holds an index to what the golden ones contain, with all that is derived from it good, and writes to it. */
export async function answersAndWrites(folder: string): Promise<void> {
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
