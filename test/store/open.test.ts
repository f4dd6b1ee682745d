import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Passport } from '../../src/model/passport.js';
import { comparePassports, createOrOpenStore, openStore } from '../../src/store/index.js';
import { batch, document, newFolder, newStore, passport } from './support.js';

const make = (folder: string, given = passport()) => createOrOpenStore(folder, { passport: given });

async function filledFolder(): Promise<string> {
  const folder = newFolder();
  const store = await newStore({}, folder);
  const writer = await store.writer();
  await writer.commit(batch(Array.from({ length: 60 }, (_, i) => document(`d${i}`, ['alpha '.repeat(60)]))));
  await writer.publish();
  await store.close();
  return folder;
}

describe('what a folder is', () => {
  it('makes an index where the folder is missing or empty', async () => {
    for (const folder of [join(newFolder(), 'not', 'there'), newFolder()]) {
      const store = await make(folder);
      expect(existsSync(join(folder, 'sluice.db'))).toBe(true);
      expect(store.passport).toEqual(passport());
      await store.close();
      await (await openStore(folder)).close();
    }
  });

  it('goes on where making an index was interrupted', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'writer.lock'), '1');
    writeFileSync(join(folder, 'sluice.db.unfinished'), 'half');
    writeFileSync(join(folder, 'sluice.db.unfinished-journal'), 'half');
    await (await make(folder)).close();
    expect(existsSync(join(folder, 'sluice.db.unfinished'))).toBe(false);
  });

  it('makes one index when two callers come at once', async () => {
    const folder = newFolder();
    const results = await Promise.allSettled([make(folder), make(folder), make(folder)]);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason.code).toBe('SLUICE_INDEX_LOCKED');
      else await result.value.close();
    }
    await (await make(folder)).close();
  });

  it('refuses a missing and an empty folder for reading', async () => {
    const folder = newFolder();
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    await expect(openStore(join(folder, 'x'))).rejects.toThrow(/does not exist; check the path/);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('refuses other folders and leaves them alone', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'notes.md'), 'hello');
    for (const open of [make, openStore]) {
      await expect(open(folder)).rejects.toMatchObject({ code: 'SLUICE_NOT_AN_INDEX', details: { folder } });
      await expect(open(folder)).rejects.toThrow(/it must be the folder of an index/);
      await expect(open(join(folder, 'notes.md'))).rejects.toMatchObject({ code: 'SLUICE_NOT_AN_INDEX' });
    }
    expect(existsSync(join(folder, 'writer.lock'))).toBe(false);
  });

  it('says that sluice.db is missing from what is left of an index', async () => {
    const folder = newFolder();
    for (const name of ['keywords', 'graph', 'readers']) mkdirSync(join(folder, name));
    for (const open of [make, openStore]) {
      await expect(open(folder)).rejects.toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
      await expect(open(folder)).rejects.toThrow(/sluice\.db is missing .*; restore a backup/);
    }
    // With anything else beside them, the folders may be anybody's.
    writeFileSync(join(folder, 'notes.md'), 'hello');
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'SLUICE_NOT_AN_INDEX' });
  });

  it('tells a path below a file from an index', async () => {
    const file = join(newFolder(), 'notes.md');
    writeFileSync(file, 'hello');
    for (const open of [make, openStore]) {
      await expect(open(join(file, 'x'))).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
      await expect(open(join(file, 'x'))).rejects.toThrow(/a part of the path is a file/);
    }
  });

  it("refuses another program's database", async () => {
    const folder = newFolder();
    new Database(join(folder, 'sluice.db')).exec('CREATE TABLE t(x)').close();
    await expect(make(folder)).rejects.toMatchObject({ code: 'SLUICE_NOT_AN_INDEX' });
  });

  it('refuses a newer format', async () => {
    const folder = newFolder();
    await (await make(folder)).close();
    const db = new Database(join(folder, 'sluice.db'));
    db.pragma('user_version = 99');
    db.close();
    await expect(make(folder)).rejects.toMatchObject({
      code: 'SLUICE_INDEX_VERSION',
      details: { actual: 99 },
    });
    await expect(openStore(folder)).rejects.toThrow(/use a newer release/);
  });

  it('says that a database is damaged', async () => {
    const folder = await filledFolder();
    const whole = readFileSync(join(folder, 'sluice.db'));
    for (const keep of [0, 10, 100, 5_000, whole.length >> 2, whole.length >> 1, whole.length - 9_000]) {
      writeFileSync(join(folder, 'sluice.db'), whole);
      truncateSync(join(folder, 'sluice.db'), keep);
      await expect(openStore(folder)).rejects.toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
    }
    writeFileSync(join(folder, 'sluice.db'), 'this is no database at all '.repeat(100));
    await expect(make(folder)).rejects.toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
  });
});

describe('options', () => {
  it('are checked', async () => {
    const folder = newFolder();
    const wrong: object[] = [
      { graphTreshold: 5 },
      { threads: 0 },
      { graphThreshold: 1.5 },
      { vectorPrecision: 'int4' },
      { storedVectors: 16 },
      { readonly: 'no' },
    ];
    for (const options of wrong) {
      const opened = createOrOpenStore(folder, { passport: passport(), ...options });
      await expect(opened).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    }
  });

  it('a read-only store gives no writer', async () => {
    const folder = await filledFolder();
    const store = await openStore(folder, { readonly: true });
    await expect(store.writer()).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    const reader = await store.reader();
    expect((await reader.stats()).documents).toBe(60);
    await store.close();
    await expect(store.reader()).rejects.toMatchObject({ code: 'SLUICE_INDEX_CLOSED' });
    await expect(reader.stats()).rejects.toMatchObject({ code: 'SLUICE_INDEX_CLOSED' });
  });

  it('opens a copy in another place', async () => {
    const folder = await filledFolder();
    const copy = join(newFolder(), 'with space % and ü');
    mkdirSync(copy);
    copyFileSync(join(folder, 'sluice.db'), join(copy, 'sluice.db'));
    const store = await openStore(copy);
    const reader = await store.reader();
    const hits = await reader.searchKeywords('alpha', 5, await reader.select(undefined));
    expect(hits.labels).toHaveLength(5);
    await store.close();
  });
});

describe('passports', () => {
  const { embedder } = passport();
  const changes: [string, Partial<Passport>][] = [
    ['chunker', { chunker: 'other' }],
    ['analyzer', { analyzer: 'other' }],
    ['dictionary', { dictionary: 'other' }],
    ['embedder.kind', { embedder: { ...embedder, kind: 'other' } }],
    ['embedder.model', { embedder: { ...embedder, model: 'other' } }],
    ['embedder.tokenizer', { embedder: { ...embedder, tokenizer: 'other' } }],
    ['embedder.dims', { embedder: { ...embedder, dims: 9 } }],
    ['embedder.windowTokens', { embedder: { ...embedder, windowTokens: 9 } }],
    ['embedder.pooling', { embedder: { ...embedder, pooling: 'cls' } }],
    ['embedder.normalized', { embedder: { ...embedder, normalized: false } }],
    ['embedder.queryPrefix', { embedder: { ...embedder, queryPrefix: 'query: ' } }],
    ['embedder.passagePrefix', { embedder: { ...embedder, passagePrefix: 'passage: ' } }],
  ];

  it.each(changes)('refuses another %s, by name', async (field, change) => {
    const folder = newFolder();
    await (await make(folder)).close();
    const error = await make(folder, passport(change)).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'SLUICE_PASSPORT_MISMATCH', details: { fields: [{ field }] } });
    expect(error.message).toContain(field);
    await (await openStore(folder)).close();
  });

  it('names all fields that differ, with both values', () => {
    const given = passport({ chunker: 'b', embedder: { ...embedder, dims: 4 } });
    expect(() => comparePassports(passport(), given)).toThrow(
      'chunker (index: "test-chunks-1", given: "b"), embedder.dims (index: 8, given: 4)',
    );
  });

  it('compares neither the name nor the reference', () => {
    const given = passport({
      embedder: { ...embedder, name: 'renamed' },
      reference: { texts: ['a'], vectors: [[1]] },
    });
    expect(() => comparePassports(passport(), given)).not.toThrow();
  });
});
