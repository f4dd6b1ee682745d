import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { importIndex, openStore, verifyIndex } from '../../src/store/index.js';
import { openAtCommit, readingLong } from '../../src/store/journal-mode.js';
import { openForReading, openForWriting } from '../../src/store/schema.js';
import { task } from '../../src/store/threads.js';
import { batch, document, newFolder, newStore } from './support.js';

const DIST = pathToFileURL(join(import.meta.dirname, '../../dist/')).href;

class HeldReader {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  said = '';

  constructor(folder: string, what: string, place = '') {
    const program = join(import.meta.dirname, 'held-reader.mjs');
    this.child = spawn(process.execPath, [program, DIST, folder, what, place], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text) => {
      this.said += text;
    });
    this.ended = new Promise((resolve) => this.child.on('close', () => resolve()));
  }

  async says(word: RegExp): Promise<void> {
    while (!word.test(this.said)) {
      if (this.child.exitCode !== null) throw new Error(`it ended with ${this.said}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

/** An index at rest. */
async function filled(documents: number, words = 'alpha'): Promise<string> {
  const folder = newFolder();
  const store = await newStore({}, folder);
  const writer = await store.writer();
  for (let from = 0; from < documents; from += 500) {
    const some = Array.from({ length: Math.min(500, documents - from) }, (_, i) => from + i);
    await writer.commit(batch(some.map((i) => document(`d${i}`, [`${words} ${i}`, `beta ${i}`]))));
  }
  await store.close();
  expect(modeOf(folder)).toBe('delete');
  return folder;
}

function modeOf(folder: string): string {
  const db = openForReading(join(folder, 'sluice.db'));
  try {
    return db.pragma('journal_mode', { simple: true }) as string;
  } finally {
    db.close();
  }
}

/** Opens a writer, commits, publishes, closes: what a read must not hold up. */
async function write(folder: string): Promise<void> {
  const started = performance.now();
  const store = await openStore(folder);
  const writer = await store.writer();
  await writer.commit(batch([document('written', ['gamma'])], ['d0']));
  await writer.publish();
  await store.close();
  // Far from the half minute that SQLite would wait.
  expect(performance.now() - started).toBeLessThan(20_000);
}

const isAtRest = (folder: string) =>
  expect(readdirSync(folder).filter((name) => /^sluice\.db/.test(name))).toEqual(['sluice.db']);

describe('a long read of another process', () => {
  it('lets a writer in, and stays at its commit', async () => {
    const folder = await filled(20);
    const reader = new HeldReader(folder, 'held');
    await reader.says(/reading/);
    await write(folder);
    expect(modeOf(folder)).toBe('wal');
    await write(folder);
    reader.child.stdin!.end();
    await reader.ended;
    expect(reader.said).toBe('reading\ndone\n');
    isAtRest(folder);
    expect(await verifyIndex(folder)).toMatchObject({ ok: true });
    isAtRest(folder);
  });

  it('goes on beside others, and the last one puts everything into one file', async () => {
    const folder = await filled(20);
    const readers = [new HeldReader(folder, 'held'), new HeldReader(folder, 'held')];
    for (const reader of readers) await reader.says(/reading/);
    await write(folder);
    readers[0]!.child.stdin!.end();
    await readers[0]!.ended;
    expect(modeOf(folder)).toBe('wal');
    await write(folder);
    readers[1]!.child.stdin!.end();
    await readers[1]!.ended;
    expect(readers.map(({ said }) => said)).toEqual(['reading\ndone\n', 'reading\ndone\n']);
    isAtRest(folder);
  });

  it('that is killed leaves an index that opens, and the next one to work on it puts it in order', async () => {
    const folder = await filled(20);
    const reader = new HeldReader(folder, 'held');
    await reader.says(/reading/);
    await write(folder);
    reader.child.kill('SIGKILL');
    await reader.ended;
    expect(await verifyIndex(folder)).toMatchObject({ ok: true });
    isAtRest(folder);
  });

  it.runIf(process.platform !== 'win32').each(['verify', 'export', 'backup'])(
    'as %s does it, stopped in the middle, lets a writer in and then ends well',
    async (what) => {
      // A backup copies 32 MiB at a step.
      const folder = await filled(3_000, what === 'backup' ? 'alpha '.repeat(3_000) : 'alpha');
      const place = newFolder();
      const reader = new HeldReader(folder, what, place);
      await reader.says(/reading/);
      reader.child.kill('SIGSTOP');
      try {
        await write(folder);
        expect(reader.said).not.toContain('done');
      } finally {
        reader.child.kill('SIGCONT');
      }
      await reader.ended;
      expect(reader.said).toMatch(/^(reading\n)+done\n$/);
      isAtRest(folder);
      let made = folder;
      if (what === 'backup') made = join(place, 'copy');
      if (what === 'export') {
        made = newFolder();
        await importIndex(join(place, 'all.jsonl'), made);
      }
      expect(await verifyIndex(made)).toMatchObject({ ok: true });
    },
  );
});

describe('WAL mode', () => {
  it('is what a writer gets, however often others end it', async () => {
    const folder = await filled(5);
    const other = new HeldReader(folder, 'settle');
    await other.says(/reading/);
    for (let round = 0; round < 300; round++) {
      const db = openForWriting(join(folder, 'sluice.db'));
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
      db.prepare('UPDATE settings SET value = value WHERE key = ?').run('generation');
      db.close();
    }
    other.child.stdin!.end();
    await other.ended;
    expect(other.said).toBe('reading\ndone\n');
  });

  it('is not forced on what is no index of ours', async () => {
    const folder = newFolder();
    const empty = join(folder, 'empty.db');
    writeFileSync(empty, '');
    const foreign = join(folder, 'foreign.db');
    const made = new Database(foreign);
    made.exec('CREATE TABLE t(a)');
    made.close();
    const modes = [empty, foreign].map((file) =>
      readingLong(file, () => {
        const db = new Database(file, { readonly: true });
        const mode = db.pragma('journal_mode', { simple: true });
        db.close();
        return mode;
      }),
    );
    expect(await Promise.all(modes)).toEqual(['delete', 'delete']);
    expect(statSync(empty).size).toBe(0);
    const missing = join(folder, 'missing.db');
    await expect(readingLong(missing, () => openAtCommit(missing))).rejects.toMatchObject({
      code: 'SQLITE_CANTOPEN',
    });
    expect(existsSync(missing)).toBe(false);
  });

  it('is not asked for where a folder takes the place of the database', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'sluice.db'));
    expect(await readingLong(join(folder, 'sluice.db'), () => 7)).toBe(7);
  });
});

describe('a database that another program holds', () => {
  it('is an error that says so and what to do, and no damage', async () => {
    const folder = await filled(5);
    const file = join(folder, 'sluice.db');
    const other = new Database(file);
    other.exec('BEGIN EXCLUSIVE');
    const impatient = new Database(file, { readonly: true, timeout: 0 });
    const { error } = (await task(() => impatient.pragma('user_version'))(undefined)) as {
      error: { code: string; message: string };
    };
    expect(error.code).toBe('SLUICE_INDEX_LOCKED');
    expect(error.message).toMatch(/locked by another process.*SQLITE_BUSY.*; it is held by .* try again$/);
    impatient.close();
    // Waits for half a minute, as everybody does.
    const verified = verifyIndex(folder);
    await expect(verified).rejects.toMatchObject({ code: 'SLUICE_INDEX_LOCKED', details: { path: file } });
    other.exec('ROLLBACK');
    other.close();
    expect(await verifyIndex(folder)).toMatchObject({ ok: true });
  });
});
