import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createOrOpenStore, FORMAT_VERSION, openStore } from '../../src/store/index.js';
import { documentOf, passport } from './documents.mjs';
import { OFTEN } from './kinds.js';
import { newRoot, type Program, STORE, startProgram } from './program.js';

/** A minute by hand: SLUICE_TEST_SECONDS=60. */
const SECONDS = Number(process.env.SLUICE_TEST_SECONDS ?? 5);
const READERS = 4;

function start(role: string, folder: string, ms = 0): Program & { said: Record<string, unknown>[] } {
  const said: Record<string, unknown>[] = [];
  const argument = { store: STORE, folder, options: { ...OFTEN, threads: 1 }, role, ms };
  return Object.assign(startProgram('pairs.mjs', argument, { hear: (line) => said.push(JSON.parse(line)) }), {
    said,
  });
}

async function last(program: ReturnType<typeof start>): Promise<Record<string, unknown>> {
  const { status, errors } = await program.ended;
  expect(status, errors).toBe(0);
  return program.said.at(-1)!;
}

const newFolder = () => join(newRoot(), 'index');
const openOrMake = (folder: string) => createOrOpenStore(folder, { passport: passport(FORMAT_VERSION) });

describe('many processes', () => {
  it(
    'readers see whole generations, one after another, old snapshots stay as they were, and a rival writer never gets in',
    async () => {
      const folder = newFolder();
      const writer = start('writer', folder, 2 * SECONDS * 1_000 + 5_000);
      await writer.says(/ready/);
      const readers = Array.from({ length: READERS }, () => start('reader', folder, SECONDS * 1_000));
      const rival = await openStore(folder);
      for (const until = Date.now() + SECONDS * 1_000; Date.now() < until; await delay(200)) {
        const refusal = rival.writer();
        await expect(refusal).rejects.toMatchObject({
          code: 'SLUICE_INDEX_LOCKED',
          details: { pid: writer.pid },
        });
      }
      await rival.close();
      for (const reader of readers) {
        const { loops, generations, wrong } = await last(reader);
        expect(wrong).toEqual([]);
        expect(loops).toBeGreaterThan(1);
        expect(generations).toBeGreaterThan(1);
      }
      const { commits } = await last(writer);
      expect(commits).toBeGreaterThan(4);
    },
    3 * SECONDS * 1_000 + 120_000,
  );

  it('rows that a snapshot of another process shows are kept, and purged once it is gone', async () => {
    const folder = newFolder();
    const store = await openOrMake(folder);
    const writer = await store.writer();
    const replace = async (version: number) => {
      const documents = [documentOf('only', version, 400)];
      await writer.commit({ documents, removeDocuments: [], sources: [] });
      await writer.publish();
    };
    await replace(1);
    const reader = start('hold', folder, 120_000);
    await reader.says(/ready/);
    for (let version = 2; version < 10; version++) await replace(version);
    const db = new Database(join(folder, 'sluice.db'), { readonly: true });
    const bodies = () => db.prepare('SELECT count(*) FROM bodies').pluck().get();
    expect(bodies()).toBe(9);
    reader.kill('SIGKILL');
    await reader.ended;
    await replace(10);
    expect(bodies()).toBeLessThan(5);
    db.close();
    await store.close();
  });

  it('a second writer is told who the first is; when that one is killed, it may write at once (S4)', async () => {
    const folder = newFolder();
    const first = start('writer', folder, 60_000);
    await first.says(/ready/);
    const store = await openStore(folder);
    const error = await store.writer().catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'SLUICE_INDEX_LOCKED',
      details: { pid: first.pid, host: hostname(), folder },
    });
    expect(error.message).toMatch(
      new RegExp(`process ${first.pid} \\(.*pairs.mjs.*\\), since 20.* is writing`),
    );
    first.kill('SIGKILL');
    await first.ended;
    await (await store.writer()).close();
    await store.close();
  });

  it('a second writer in one process is told so', async () => {
    const store = await openOrMake(newFolder());
    const writer = await store.writer();
    await expect(store.writer()).rejects.toThrow(/^this process is writing/);
    await writer.close();
    await writer.close();
    const batch = { documents: [], removeDocuments: [], sources: [] };
    await expect(writer.commit(batch)).rejects.toMatchObject({ code: 'SLUICE_INDEX_CLOSED' });
    await (await store.writer()).close();
    await store.close();
  });

  it('an upsert through a handle that is older than the document replaces it (S5)', async () => {
    const folder = newFolder();
    const old = await openOrMake(folder);
    const reader = await old.reader();
    expect(reader.generation).toBe(0);
    await last(start('upsert', folder));
    const writer = await old.writer();
    const documents = [documentOf('p0a', 7, 5)];
    await writer.commit({ documents, removeDocuments: [], sources: [] });
    await writer.publish();
    await reader.refresh();
    expect((await reader.select({ $id: 'p0a' })).count).toBe(5);
    expect((await reader.stats()).documents).toBe(20);
    const { chunks, metadata } = (await reader.document('p0a'))!;
    expect([chunks.length, metadata.key]).toEqual([5, 'p0ax7']);
    await old.close();
  });
});
