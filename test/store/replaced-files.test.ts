import { copyFileSync, cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../../src/open-index.js';
import { backupIndex, openStore, type StoreOptions, verifyIndex } from '../../src/store/index.js';
import { toyModel } from '../index-support.js';
import { batch, document, newFolder, newStore, vectorOf } from './support.js';

const DERIVED: StoreOptions = { graphThreshold: 10, filterThreshold: 10 };

const DOCUMENTS_A_COMMIT = 5;

/** Adds documents with this word in each, some generations of them, and publishes. */
async function grow(folder: string, word: string, count: number): Promise<void> {
  const store = await newStore(DERIVED, folder);
  const writer = await store.writer();
  const options = { metadata: { word } };
  const documents = Array.from({ length: count }, (_, i) =>
    document(`${word}${i}`, [`shared ${word} ${i}`], options),
  );
  for (let from = 0; from < count; from += DOCUMENTS_A_COMMIT) {
    await writer.commit(batch(documents.slice(from, from + DOCUMENTS_A_COMMIT)));
  }
  await writer.publish();
  await store.close();
}

/** What a reader finds for each document of a word, by each leg and by a filter. */
async function found(folder: string, word: string, count: number, readonly = false) {
  const store = await openStore(folder, { ...DERIVED, readonly });
  try {
    const reader = await store.reader();
    const all = await reader.select(undefined);
    const ids = async (labels: Uint32Array) => (await reader.chunks(labels)).map((chunk) => chunk.documentId);
    const nearest: (string | undefined)[] = [];
    for (let i = 0; i < count; i++) {
      const { labels } = await reader.searchVectors(vectorOf(`shared ${word} ${i}`), 1, all);
      nearest.push((await ids(labels))[0]);
    }
    const { labels } = await reader.searchKeywords(word, 1_000, all);
    const { documents } = await reader.count({ word });
    return { total: all.count, nearest, keywords: (await ids(labels)).sort(), documents };
  } finally {
    await store.close();
  }
}

function expected(word: string, count: number, total: number) {
  const ids = Array.from({ length: count }, (_, i) => `${word}${i}`);
  return { total, nearest: ids, keywords: [...ids].sort(), documents: count };
}

describe('derived files of another copy of the index', () => {
  it('are strangers to a backup that was put over the folder, however the copy grows', async () => {
    const folder = newFolder();
    const copy = join(newFolder(), 'copy');
    await grow(folder, 'early', 30);
    await backupIndex(folder, copy);
    await grow(folder, 'lost', 60);
    cpSync(copy, folder, { recursive: true });
    const { ok, findings } = await verifyIndex(folder);
    expect({ ok, parts: new Set(findings.map(({ part }) => part)) }).toEqual({
      ok: false,
      parts: new Set(['graph', 'filters']),
    });
    expect(await found(folder, 'early', 30, true)).toEqual(expected('early', 30, 30));
    await grow(folder, 'late', 60);
    expect(await found(folder, 'late', 60)).toEqual(expected('late', 60, 90));
    expect(await found(folder, 'early', 30)).toEqual(expected('early', 30, 90));
    expect((await verifyIndex(folder)).findings).toEqual([]);
    expect(readdirSync(join(folder, 'graph'))).toHaveLength(1);
  });

  it.each(['graph', 'filters', 'keywords'])('are strangers at an equal generation too: %s', async (part) => {
    const [one, other] = [newFolder(), join(newFolder(), 'other')];
    await grow(one, 'early', 5);
    await backupIndex(one, other);
    await grow(one, 'one', 30);
    await grow(other, 'two', 30);
    rmSync(join(one, part), { recursive: true });
    cpSync(join(other, part), join(one, part), { recursive: true });
    expect((await verifyIndex(one)).findings).toMatchObject([{ part }]);
    expect(await found(one, 'one', 30)).toEqual(expected('one', 30, 35));
    expect(await found(one, 'two', 0)).toMatchObject({ keywords: [], documents: 0 });
    await grow(one, 'more', 30);
    expect(await found(one, 'more', 30)).toEqual(expected('more', 30, 65));
    expect((await verifyIndex(one)).findings).toEqual([]);
  });

  it('does not reject those that a killed writer had put in place, or had only announced', async () => {
    const folder = newFolder();
    await grow(folder, 'early', 30);
    expect((await verifyIndex(folder)).findings).toEqual([]);
    const copy = join(newFolder(), 'copy');
    await backupIndex(folder, copy);
    await grow(copy, 'late', 30);
    // As if the writer had been killed before it put its files in place: the database knows more marks than files.
    for (const part of ['graph', 'filters', 'keywords']) {
      rmSync(join(copy, part), { recursive: true });
      cpSync(join(folder, part), join(copy, part), { recursive: true });
    }
    expect((await verifyIndex(copy)).findings).toEqual([]);
    expect(await found(copy, 'late', 30)).toEqual(expected('late', 30, 60));
  });
});

describe('a handle whose folder was replaced', () => {
  const replaced = { code: 'SLUICE_PASSPORT_MISMATCH', details: { field: 'indexId' } };

  it('writes nothing into the other index, and says what happened', async () => {
    const [folder, elsewhere] = [newFolder(), newFolder()];
    await grow(folder, 'mine', 5);
    await grow(elsewhere, 'other', 5);
    const store = await newStore(DERIVED, folder);
    const reader = await store.reader();
    const writer = await store.writer();
    rmSync(folder, { recursive: true });
    cpSync(elsewhere, folder, { recursive: true });
    expect(await reader.isStale()).toBe(true);
    await expect(reader.refresh()).rejects.toMatchObject(replaced);
    await expect(writer.commit(batch([document('x', ['x'])]))).rejects.toMatchObject(replaced);
    await expect(writer.publish()).rejects.toMatchObject(replaced);
    await writer.close();
    await expect(store.writer()).rejects.toMatchObject(replaced);
    await expect(store.reader()).rejects.toMatchObject(replaced);
    await store.close();
    expect(await found(folder, 'other', 5)).toEqual(expected('other', 5, 5));
    expect((await verifyIndex(folder)).findings).toEqual([]);
  });

  it('notices a copy of the same index too', async () => {
    const folder = newFolder();
    const copy = join(newFolder(), 'copy');
    await grow(folder, 'mine', 5);
    await backupIndex(folder, copy);
    const store = await newStore(DERIVED, folder);
    const reader = await store.reader();
    rmSync(join(folder, 'sluice.db'));
    copyFileSync(join(copy, 'sluice.db'), join(folder, 'sluice.db'));
    await expect(reader.refresh()).rejects.toMatchObject(replaced);
    await store.close();
  });
});

describe.each(['writer.lock', 'sluice.db.unfinished'])('a folder with nothing but %s', (name) => {
  it('is one whose creation was killed: an index is made there', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, name), '');
    const index = await openIndex(folder, { model: toyModel(), reranker: false });
    await index.add({ id: 'a', text: 'some text' });
    expect((await index.get('a'))?.text).toBe('some text');
    await index.close();
    expect(existsSync(join(folder, 'sluice.db'))).toBe(true);
  });
});
