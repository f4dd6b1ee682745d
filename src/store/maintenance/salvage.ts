import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Passport } from '../../model/passport.js';
import type { IndexLayout } from '../layout.js';
import { type Connection, createDatabase, openForReading, readSetting, writeSetting } from '../schema.js';
import { storedJson } from '../trouble.js';
import { walkKeys } from './key-walk.js';
import type { ProgressSender } from './progress.js';
import type { DatabaseDamage } from './verify-database.js';

/** A document that is not in the index any more. */
export interface DroppedDocument {
  id: string;
  source: string;
}

export interface Salvage {
  dropped: DroppedDocument[];
  /** Whose files are read again at the next run of indexing: 'all' where a damaged row hides whose it was. */
  forgotten: string[] | 'all';
}

const BATCH_DOCUMENTS = 200;

/** Tables whose rows belong to a body, in the order of their foreign keys. */
const OF_BODY = [
  'INSERT INTO bodies SELECT * FROM old.bodies WHERE key = @body',
  'INSERT INTO documents SELECT * FROM old.documents WHERE key = @key',
  'INSERT INTO document_pages SELECT * FROM old.document_pages WHERE body = @body ORDER BY start',
  'INSERT INTO chunks SELECT * FROM old.chunks WHERE body = @body ORDER BY label',
  `INSERT INTO vectors SELECT v.* FROM old.chunks c JOIN old.vectors v ON v.label = c.label
     WHERE c.body = @body ORDER BY v.label`,
  'INSERT INTO keyword_texts SELECT * FROM old.keyword_texts WHERE body = @body',
];

/** A table that is not here would be lost. */
export const SALVAGED_TABLES: ReadonlySet<string> = new Set([
  ...OF_BODY.map((sql) => /INTO (\w+)/.exec(sql)![1]!),
  ...['settings', 'roots', 'sources'],
]);

interface LiveDocument {
  key: number;
  body: number;
  id: string;
  source: string;
  metadata: string;
  died: number | null;
}

/**
 * Puts the sound live documents of a damaged database into a new one, and that in the place of the old one: by SQLite's
 * own backup, as one transaction. Labels stay. The caller holds the writer lock.
 * @throws SLUICE_INDEX_CORRUPT where the settings cannot be read
 */
export async function salvage(
  layout: IndexLayout,
  damage: DatabaseDamage,
  progress: ProgressSender,
): Promise<Salvage> {
  const file = `${layout.unfinishedDatabase}-salvage`;
  const remove = () => {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(file + ending, { force: true });
  };
  remove();
  try {
    const salvaged = new Salvager(layout, file, damage).run(progress);
    const db = new Database(file);
    try {
      await db.backup(layout.database);
    } finally {
      db.close();
    }
    return salvaged;
  } finally {
    remove();
  }
}

class Salvager {
  readonly #layout: IndexLayout;
  readonly #file: string;
  readonly #damage: DatabaseDamage;
  readonly #copied = new Set<string>();
  /** By id. */
  readonly #lost = new Map<string, DroppedDocument>();

  constructor(layout: IndexLayout, file: string, damage: DatabaseDamage) {
    this.#layout = layout;
    this.#file = file;
    this.#damage = damage;
  }

  run(progress: ProgressSender): Salvage {
    const old = openForReading(this.#layout.database);
    let db: Connection | undefined;
    try {
      const passport = storedJson<Passport>(readSetting<string>(old, 'passport'), "settings, row 'passport'");
      createDatabase(this.#file, passport, readSetting<string>(old, 'indexId')!);
      db = new Database(this.#file);
      db.pragma('synchronous = OFF');
      db.prepare('ATTACH ? AS old').run(this.#layout.database);
      progress.start('sound documents');
      this.#copyDocuments(db, old, progress);
      this.#nameGaps(old);
      const dropped = [...this.#lost.values()].filter(({ id }) => !this.#copied.has(id));
      const forgotten = this.#copyStates(db, dropped);
      this.#copySettings(db, old);
      return { dropped, forgotten };
    } finally {
      db?.close();
      old.close();
    }
  }

  #copyDocuments(db: Connection, old: Connection, progress: ProgressSender): void {
    const document = old.prepare<[number], LiveDocument>(
      'SELECT key, body, id, source, metadata, died FROM documents WHERE key = ?',
    );
    const copy = OF_BODY.map((sql) => db.prepare<{ key: number; body: number }>(sql));
    const copyOne = db.transaction((row: { key: number; body: number }) => {
      for (const statement of copy) statement.run(row);
    });
    const copySome = db.transaction((keys: readonly number[]) => {
      for (const key of keys) this.#copyOne(document, copyOne, key);
    });
    const keys: number[] = [];
    for (const key of walkKeys(old, 'documents', 'key', () => {})) {
      keys.push(key);
      progress.step();
      if (keys.length === BATCH_DOCUMENTS) copySome(keys.splice(0));
    }
    copySome(keys);
  }

  #copyOne(
    document: { get(key: number): LiveDocument | undefined },
    copy: (row: { key: number; body: number }) => void,
    key: number,
  ): void {
    let row: LiveDocument | undefined;
    try {
      row = document.get(key)!;
      const { body, id, source, metadata, died } = row;
      const damaged = this.#damage.documents.has(key) || this.#damage.bodies.has(body);
      if (damaged) this.#lost.set(id, { id, source });
      if (damaged || died !== null) return;
      JSON.parse(metadata);
      // A transaction in a transaction: what fails on the way is rolled back alone.
      copy({ key, body });
      this.#copied.add(id);
    } catch {
      if (row) this.#lost.set(row.id, { id: row.id, source: row.source });
    }
  }

  /** Ids of rows that cannot be read stand in an index too. */
  #nameGaps(old: Connection): void {
    for (const { table, from, to } of this.#damage.gaps) {
      if (table !== 'documents') continue;
      try {
        const ids = old
          .prepare<[number, number], string>(
            'SELECT id FROM documents INDEXED BY documents_id WHERE key BETWEEN ? AND ?',
          )
          .pluck();
        for (const id of ids.all(from, to)) this.#lost.set(id, { id, source: '' });
      } catch {
        // Then nobody can say what was there.
      }
    }
  }

  #copyStates(db: Connection, dropped: readonly DroppedDocument[]): string[] | 'all' {
    const { documents, gaps } = this.#damage;
    try {
      db.exec('INSERT INTO roots SELECT * FROM old.roots');
      db.exec('INSERT INTO sources SELECT * FROM old.sources');
    } catch {
      db.exec('DELETE FROM sources');
      return 'all';
    }
    if (documents.size > 0 || gaps.length > 0) {
      db.exec('DELETE FROM sources');
      return 'all';
    }
    const forget = db.prepare('DELETE FROM sources WHERE source = ?');
    const sources = [...new Set(dropped.map(({ source }) => source))];
    return sources.filter((source) => forget.run(source).changes > 0);
  }

  #copySettings(db: Connection, old: Connection): void {
    try {
      db.exec('INSERT OR IGNORE INTO settings SELECT * FROM old.settings');
    } catch {
      // What a new database has is what an index needs.
    }
    const newest = db.prepare('SELECT max(born) FROM documents').pluck().get() as number | null;
    const generation = Math.max(this.#damage.settings.generation, newest ?? 0) + 1;
    writeSetting(db, 'generation', generation);
    writeSetting(db, 'publishedGeneration', generation - 1);
    // What readers of older generations could see beyond this is gone, and the keyword index has to be built anew.
    writeSetting(db, 'purgedUntil', generation);
    try {
      // Labels are never given out twice, those of dropped documents included.
      const last = old.prepare('SELECT name, seq FROM sqlite_sequence').all() as {
        name: string;
        seq: number;
      }[];
      for (const { name, seq } of last) {
        const reached = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(name) ?? 0;
        db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name);
        db.prepare('INSERT INTO sqlite_sequence VALUES (?, ?)').run(name, Math.max(seq, reached as number));
      }
    } catch {
      // The highest key of each table is in its place already.
    }
  }
}
