import Database from 'better-sqlite3';
import type { Passport } from '../model/passport.js';
import { BodySums } from './body-sums.js';
import { CHUNK_COLUMNS, DOCUMENT_COLUMNS, documentChecksum, vectorChecksum } from './checksums.js';
import { FORMAT_VERSION } from './format.js';
import { type Connection, openForWriting, readSetting, TABLES, writeSetting } from './schema.js';

/**
 * Brings a database of an older format up to the present one, as one transaction: afterwards it is the new one, or
 * untouched. Labels and generations stay, so what is derived from the database stays good.
 */

/** Oldest format version that can be brought up. */
export const OLDEST_VERSION = 1;

/** Tables that format 2 laid out anew. */
const CHANGED = ['documents', 'document_pages', 'chunks', 'vectors', 'keyword_texts'];
/** Columns of chunks that format 3 added: no pages were known, and every chunk answered for itself. */
const ADDED: Readonly<Record<string, string>> = { page: '0', parent_start: 'start', parent_end: '"end"' };
const CHUNK_NAMES = CHUNK_COLUMNS.map((name) => `"${name}"`).join(', ');
const OLD_CHUNK_VALUES = CHUNK_COLUMNS.map((name) => ADDED[name] ?? `"${name}"`).join(', ');

/** The caller holds the writer lock. Needs as much free space again as the database takes. */
export function migrateDatabase(file: string): void {
  const db = openForWriting(file);
  try {
    db.pragma('foreign_keys = OFF');
    // Names in other tables stay as they are when a table gets another one.
    db.pragma('legacy_alter_table = ON');
    db.transaction(() => {
      const version = db.pragma('user_version', { simple: true });
      if (version === 1) from1(db);
      if (version === 2) from2(db);
      const passport = JSON.parse(readSetting<string>(db, 'passport')!) as Passport;
      writeSetting(db, 'passport', JSON.stringify({ ...passport, formatVersion: FORMAT_VERSION }));
      db.pragma(`user_version = ${FORMAT_VERSION}`);
    }).immediate();
  } finally {
    db.close();
  }
}

/** Format 1 had no bodies: a document's row was both. It had no checksums either. */
function from1(db: Connection): void {
  const lastLabel = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").pluck().get();
  for (const name of db
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    .pluck()
    .all()) {
    if (CHANGED.some((table) => name.startsWith(table) || name.startsWith('document'))) {
      db.exec(`DROP INDEX "${name}"`);
    }
  }
  for (const table of CHANGED) db.exec(`ALTER TABLE ${table} RENAME TO ${table}_1`);
  for (const statement of statementsFor(['bodies', ...CHANGED])) db.exec(statement);
  copyRows(db);
  for (const table of CHANGED) db.exec(`DROP TABLE ${table}_1`);
  // Filters have columns of their own now.
  db.exec('DROP TABLE metadata_fields');
  // The last labels may belong to documents that are gone, and are not to be given out again.
  if (lastLabel !== undefined) {
    db.prepare("DELETE FROM sqlite_sequence WHERE name = 'chunks'").run();
    db.prepare("INSERT INTO sqlite_sequence VALUES ('chunks', ?)").run(lastLabel);
  }
}

/** What the present format makes these tables and their indexes with. */
function statementsFor(tables: readonly string[]): string[] {
  const fresh = new Database(':memory:');
  try {
    fresh.exec(TABLES);
    return fresh
      .prepare<[], { table: string; sql: string }>(
        "SELECT tbl_name AS 'table', sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC",
      )
      .all()
      .flatMap(({ table, sql }) => (tables.includes(table) ? sql : []));
  } finally {
    fresh.close();
  }
}

function copyRows(db: Connection): void {
  db.function('document_checksum', { varargs: true, deterministic: true }, (...values) =>
    documentChecksum(values as (string | number)[]),
  );
  db.function('vector_checksum', { deterministic: true }, (data) => vectorChecksum(data as Buffer));
  const columns = DOCUMENT_COLUMNS.join(', ');
  const values = columns.replace('body', 'key');
  db.exec(`
    INSERT INTO bodies SELECT key, first_label, chunk_count, 0, 0, born, died FROM documents_1;
    INSERT INTO documents(key, ${columns}, checksum, born, died)
      SELECT key, ${values}, document_checksum(${values}), born, died FROM documents_1;
    INSERT INTO document_pages SELECT document, start, text FROM document_pages_1 ORDER BY document, start;
    INSERT INTO chunks(body, ${CHUNK_NAMES}) SELECT document, ${OLD_CHUNK_VALUES} FROM chunks_1 ORDER BY label;
    INSERT INTO vectors SELECT label, data, vector_checksum(data) FROM vectors_1 ORDER BY label;
    INSERT INTO keyword_texts SELECT document, data FROM keyword_texts_1 ORDER BY document;
  `);
  sumBodies(db);
}

/** Format 2 had no pages and no parents. Where a checksum did not fit before, it does not fit afterwards. */
function from2(db: Connection): void {
  for (const [name, value] of Object.entries(ADDED)) {
    db.exec(`ALTER TABLE chunks ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0`);
    if (value !== '0') db.exec(`UPDATE chunks SET ${name} = ${value}`);
  }
  sumBodies(
    db,
    CHUNK_COLUMNS.filter((name) => !(name in ADDED)),
  );
}

/** Writes hash and checksum of each body. @param before columns that the checksums covered until now, if there were any */
function sumBodies(db: Connection, before?: readonly string[]): void {
  const sums = new BodySums(db);
  const old = before && new BodySums(db, before);
  const read = db.prepare<[number], { checksum: number }>('SELECT checksum FROM bodies WHERE key = ?');
  const write = db.prepare('UPDATE bodies SET text_hash = ?, checksum = ? WHERE key = ?');
  const next = db
    .prepare<[number], number>('SELECT key FROM bodies WHERE key > ? ORDER BY key LIMIT 1')
    .pluck();
  for (let key = next.get(0); key !== undefined; key = next.get(key)) {
    if (old && old.of(key).checksum !== read.get(key)!.checksum) continue;
    const { hash, checksum } = sums.of(key);
    write.run(hash, checksum, key);
  }
}
