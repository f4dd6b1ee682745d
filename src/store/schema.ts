import { closeSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Passport } from '../model/passport.js';
import { FORMAT_VERSION } from './format.js';

/**
 * Tables of sluice.db. What a document says is a body: its text, and its chunks with consecutive labels. A row of
 * documents is one version of what is known about it (title, metadata) and names its body: new text is a new body with
 * new labels, new metadata only a new version of the same body. What a reader of generation G sees is the rows born
 * by G and not dead by G, and nothing has to be marked chunk by chunk. Dead rows stay for readers of older generations
 * until a purge. Checksums (see checksums.ts) are there for `verify`: SQLite's pages have none.
 */

/** 'SLUC': says that a SQLite file is ours. */
export const APPLICATION_ID = 0x534c5543;

const PAGE_BYTES = 8192;
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;
const CACHE_KIB = 32 * 1024;
/** What holds a connection up is the beginning or the end of another one: a recovery, or a last checkpoint. */
const BUSY_MS = 30_000;

/** How often others may end WAL mode between two statements of ours. */
const ENTER_TRIES = 100;

export type Connection = Database.Database;

export const TABLES = `
CREATE TABLE settings(
  key TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;

CREATE TABLE roots(
  name TEXT PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) WITHOUT ROWID;

CREATE TABLE sources(
  source TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  status TEXT NOT NULL,
  error TEXT
) WITHOUT ROWID;

CREATE TABLE bodies(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  first_label INTEGER NOT NULL,
  chunk_count INTEGER NOT NULL,
  -- First bytes of the SHA-256 of the text: equal texts have equal chunks, whose vectors are used again.
  text_hash INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  born INTEGER NOT NULL,
  died INTEGER
);
CREATE INDEX bodies_lifetime ON bodies(died, born, first_label, chunk_count);
CREATE INDEX bodies_text ON bodies(text_hash);

CREATE TABLE documents(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  body INTEGER NOT NULL REFERENCES bodies(key),
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT NOT NULL,
  format TEXT NOT NULL,
  metadata TEXT NOT NULL,
  -- Of the document as it came from its source: metadata that was set by hand later is not in it.
  content_hash TEXT NOT NULL,
  first_label INTEGER NOT NULL,
  chunk_count INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  over_limit_count INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  born INTEGER NOT NULL,
  died INTEGER
);
CREATE UNIQUE INDEX documents_live ON documents(id) WHERE died IS NULL;
CREATE INDEX documents_id ON documents(id);
CREATE INDEX documents_source ON documents(source);
CREATE INDEX documents_body ON documents(body);
CREATE INDEX documents_lifetime ON documents(died, born, first_label, chunk_count);

-- The text in pieces of up to PAGE_UNITS UTF-16 units, so that a passage of a huge document costs one or two rows.
CREATE TABLE document_pages(
  body INTEGER NOT NULL REFERENCES bodies(key) ON DELETE CASCADE,
  start INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE UNIQUE INDEX document_pages_start ON document_pages(body, start);

CREATE TABLE chunks(
  label INTEGER PRIMARY KEY AUTOINCREMENT,
  body INTEGER NOT NULL REFERENCES bodies(key) ON DELETE CASCADE,
  chunk_id TEXT NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  heading_path TEXT NOT NULL,
  over_limit INTEGER NOT NULL,
  page INTEGER NOT NULL,
  parent_start INTEGER NOT NULL,
  parent_end INTEGER NOT NULL,
  -- First 16 bytes of the SHA-256 of what the embedder read; null where that is not known.
  embedding_hash BLOB
);
CREATE INDEX chunks_body ON chunks(body);

-- float32 or float16, little-endian; the length tells which.
CREATE TABLE vectors(
  label INTEGER PRIMARY KEY REFERENCES chunks(label) ON DELETE CASCADE,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL
);

-- What the keyword index got, as far as it is not in the text itself: enough to build that index again.
CREATE TABLE keyword_texts(
  body INTEGER PRIMARY KEY REFERENCES bodies(key) ON DELETE CASCADE,
  data BLOB NOT NULL
);
`;

export const TABLE_NAMES = [...TABLES.matchAll(/CREATE TABLE (\w+)/g)].map((match) => match[1]!);

/** Makes a whole database in a new file and closes it. */
export function createDatabase(file: string, passport: Passport, indexId: string): void {
  const db = new Database(file);
  try {
    db.pragma(`page_size = ${PAGE_BYTES}`);
    db.pragma('synchronous = EXTRA');
    db.transaction(() => {
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${FORMAT_VERSION}`);
      db.exec(TABLES);
      writeSetting(db, 'passport', JSON.stringify(passport));
      writeSetting(db, 'indexId', indexId);
      writeSetting(db, 'generation', 0);
      writeSetting(db, 'publishedGeneration', 0);
    })();
  } catch (error) {
    throw creationTrouble(file, error);
  } finally {
    db.close();
  }
}

/** SQLite does not say why it cannot make a journal or a log, and a full disk is one reason: the system says it. */
function creationTrouble(file: string, error: unknown): unknown {
  if ((error as { code?: unknown }).code !== 'SQLITE_CANTOPEN') return error;
  const probe = `${file}-probe`;
  try {
    closeSync(openSync(probe, 'w'));
    rmSync(probe);
    return error;
  } catch (cause) {
    return cause;
  }
}

export function openForWriting(file: string): Connection {
  const db = new Database(file, { fileMustExist: true, timeout: BUSY_MS });
  try {
    enterWal(db);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
    return db;
  } catch (error) {
    db.close();
    throw creationTrouble(file, error);
  }
}

/** When it returns, the connection is in WAL mode and keeps it. A file system without shared memory stays as it is. */
export function enterWal(db: Connection): void {
  for (let attempt = 0; attempt < ENTER_TRIES; attempt++) {
    if (db.pragma('journal_mode = WAL', { simple: true }) !== 'wal') return;
    // Before its first read a connection keeps nothing.
    db.pragma('schema_version');
    if (db.pragma('journal_mode', { simple: true }) === 'wal') return;
  }
}

export function openForReading(file: string): Connection {
  try {
    return openUnchanged(file);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_READONLY_ROLLBACK') throw error;
    // The end of WAL mode was cut short: only a connection that may write can take it back.
    const db = new Database(file, { fileMustExist: true, timeout: BUSY_MS });
    db.pragma('schema_version');
    db.close();
    return openUnchanged(file);
  }
}

function openUnchanged(file: string): Connection {
  const db = new Database(file, { fileMustExist: true, readonly: true, timeout: BUSY_MS });
  try {
    db.pragma(`cache_size = -${CACHE_KIB}`);
    // Reads the file for the first time.
    db.pragma('schema_version');
    return db;
  } catch (error) {
    db.close();
    // A database whose log was about to be made when the disk became full. Of anything else SQLite's own error says more.
    const trouble = creationTrouble(file, error);
    throw /^(ENOSPC|EDQUOT)$/.test((trouble as { code: string }).code) ? trouble : error;
  }
}

export function readSetting<T extends string | number>(db: Connection, key: string): T | undefined {
  return db.prepare('SELECT value FROM settings WHERE key = ?').pluck().get(key) as T | undefined;
}

export function writeSetting(db: Connection, key: string, value: string | number): void {
  db.prepare('INSERT INTO settings VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value').run(
    key,
    value,
  );
}

/** Highest label ever given out. */
export function lastLabel(db: Connection): number {
  const last = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").pluck().get();
  return (last as number | undefined) ?? 0;
}

/** Key of the body that holds `label`, or the nearest label below: keys and labels ascend together. */
export function lastKeyUpTo(db: Connection, label: number): number {
  const sql = 'SELECT body FROM chunks WHERE label <= ? ORDER BY label DESC LIMIT 1';
  return (db.prepare(sql).pluck().get(label) as number | undefined) ?? 0;
}

/** SQL condition: the row `d` of documents, or of bodies, is visible at `@generation`. */
export const VISIBLE = 'd.born <= @generation AND (d.died IS NULL OR d.died > @generation)';
