import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { SluiceError } from '../errors.js';
import type { Passport } from '../model/passport.js';
import { makeFolder, syncFolder } from './durable-folder.js';
import { FORMAT_VERSION } from './format.js';
import { settleDatabase } from './journal-mode.js';
import { type IndexLayout, indexLayout, LEFT_BY_CREATION, MADE_FOR_AN_INDEX } from './layout.js';
import { migrateDatabase, OLDEST_VERSION } from './migrate.js';
import { pathTrouble } from './path-trouble.js';
import {
  APPLICATION_ID,
  type Connection,
  createDatabase,
  openForReading,
  readSetting,
  TABLE_NAMES,
} from './schema.js';
import { task } from './threads.js';
import { storedJson, workOn } from './trouble.js';
import { vectorsEpoch } from './vectors-epoch.js';

/** What a folder is: runs in a thread of its own, because looking into a database blocks. */
export type FolderState =
  | { state: 'missing' | 'empty' }
  | { state: 'index'; passport: Passport; indexId: string; epoch: number };

/** @throws SLUICE_NOT_AN_INDEX, SLUICE_INDEX_VERSION, SLUICE_INDEX_CORRUPT */
export const inspect = task((folder: string): FolderState => {
  const layout = indexLayout(folder);
  workOn(layout.database);
  return inspectFolder(layout);
});

/** A lock needs the folder to be there. */
export const makeIndexFolder = task((folder: string): void => makeFolder(folder));

/** Makes an index in an empty folder. The caller holds the writer lock. */
export const create = task(({ folder, passport }: { folder: string; passport: Passport }): FolderState => {
  const layout = indexLayout(folder);
  const found = inspectFolder(layout);
  if (found.state === 'index') return found;
  const unfinished = layout.unfinishedDatabase;
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + ending, { force: true });
  const indexId = randomUUID();
  createDatabase(unfinished, passport, indexId);
  renameSync(unfinished, layout.database);
  syncFolder(folder);
  return { state: 'index', passport, indexId, epoch: 0 };
});

/** Brings an index of an older format up to the present one. The caller holds the writer lock. */
export const migrate = task((folder: string): { from: number; to: number } => {
  const layout = indexLayout(folder);
  const db = openForReading(layout.database);
  let from: number;
  try {
    from = checkIdentity(db, layout, OLDEST_VERSION);
  } finally {
    db.close();
  }
  if (from < FORMAT_VERSION) {
    migrateDatabase(layout.database);
    settleDatabase(layout.database);
  }
  return { from, to: FORMAT_VERSION };
});

function inspectFolder(layout: IndexLayout): FolderState {
  const names = namesIn(layout);
  if (!names) return { state: 'missing' };
  if (names.every((name) => LEFT_BY_CREATION.test(name))) return { state: 'empty' };
  if (!names.includes('sluice.db')) {
    if (names.length > 1 && names.every((name) => MADE_FOR_AN_INDEX.test(name))) throw lost(layout);
    throw notAnIndex(layout, 'holds other files');
  }
  return { state: 'index', ...readPassport(layout) };
}

function namesIn(layout: IndexLayout): string[] | undefined {
  try {
    const stat = statSync(layout.folder, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!stat.isDirectory()) throw notAnIndex(layout, 'is a file');
    return readdirSync(layout.folder);
  } catch (error) {
    throw pathTrouble(error, 'read the index', layout.folder);
  }
}

function readPassport(layout: IndexLayout): { passport: Passport; indexId: string; epoch: number } {
  const db = openForReading(layout.database);
  try {
    checkIdentity(db, layout);
    checkWhole(db, layout);
    // Together: a swap in between would pair one model's passport with the other's vectors.
    return db.transaction(() => ({
      passport: storedJson<Passport>(readSetting<string>(db, 'passport'), "settings, row 'passport'"),
      indexId: readSetting<string>(db, 'indexId')!,
      epoch: vectorsEpoch(db),
    }))();
  } finally {
    db.close();
  }
}

/** @returns the format version, which is between `oldest` and the present one */
function checkIdentity(db: Connection, layout: IndexLayout, oldest = FORMAT_VERSION): number {
  const pragma = (name: string) => db.pragma(name, { simple: true }) as number;
  if (statSync(layout.database).size === 0) throw corrupt(layout, 'it is empty');
  if (pragma('application_id') !== APPLICATION_ID)
    throw notAnIndex(layout, 'holds a database of something else');
  const version = pragma('user_version');
  if (version >= oldest && version <= FORMAT_VERSION) return version;
  throw new SluiceError(
    'SLUICE_INDEX_VERSION',
    `the index ${layout.folder} has format version ${version}, this release reads ${FORMAT_VERSION}`,
    {
      hint: hintFor(version, layout),
      details: { folder: layout.folder, expected: FORMAT_VERSION, actual: version },
    },
  );
}

function hintFor(version: number, { folder }: IndexLayout): string {
  if (version > FORMAT_VERSION) return 'use a newer release';
  if (version < OLDEST_VERSION) return 'index the documents again';
  return `bring it up to this release: sluice migrate --index ${folder}`;
}

/** Finds a file that was cut short, and tables that are gone, before they surprise a search. */
function checkWhole(db: Connection, layout: IndexLayout): void {
  const pragma = (name: string) => db.pragma(name, { simple: true }) as number;
  const wal = statSync(`${layout.database}-wal`, { throwIfNoEntry: false });
  const bytes = statSync(layout.database).size;
  const expected = pragma('page_count') * pragma('page_size');
  if ((wal?.size ?? 0) === 0 && bytes < expected)
    throw corrupt(layout, `it has ${bytes} bytes of ${expected}`);
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  const missing = TABLE_NAMES.filter((name) => !tables.includes(name));
  if (missing.length > 0) throw corrupt(layout, `the table ${missing[0]} is missing`);
}

function notAnIndex({ folder }: IndexLayout, what: string): SluiceError {
  return new SluiceError('SLUICE_NOT_AN_INDEX', `${folder} ${what}: it is no index`, {
    hint: 'check the path: it must be the folder of an index',
    details: { folder },
  });
}

/** The truth is gone, and what was derived from it does not hold the documents. */
function lost({ folder, database }: IndexLayout): SluiceError {
  return new SluiceError('SLUICE_INDEX_CORRUPT', `sluice.db is missing from the index ${folder}`, {
    hint: 'restore a backup, or index the documents again into a new folder',
    details: { path: database },
  });
}

function corrupt({ database }: IndexLayout, reason: string): SluiceError {
  return new SluiceError('SLUICE_INDEX_CORRUPT', `the database ${database} is damaged: ${reason}`, {
    hint: 'restore the folder from a copy, or index the documents again into a new one',
    details: { path: database },
  });
}
