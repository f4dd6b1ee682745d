import { SluiceError } from '../errors.js';
import type { EmbedderFingerprint, EmbeddingMatrix } from '../model/embedder.js';
import type { Passport } from '../model/passport.js';
import type { ReembeddingState, TextsToEmbed } from '../model/store.js';
import { packTexts } from '../model/text-column.js';
import { vectorChecksum } from './checksums.js';
import { type EmbeddingText, embeddingText } from './embedding-texts.js';
import { KeywordTexts } from './keyword-texts.js';
import { PageReader } from './pages.js';
import { embedderDifferences } from './passport.js';
import { type Connection, readSetting, writeSetting } from './schema.js';
import { encodeVectors, type StoredVectors } from './vector-codec.js';
import { vectorsEpoch } from './vectors-epoch.js';

const PAGE_BODIES = 200;
const SETTING = 'reembedding';

const TABLE = `
CREATE TABLE IF NOT EXISTS vectors_next(
  label INTEGER PRIMARY KEY REFERENCES chunks(label) ON DELETE CASCADE,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL
)`;

/** Apart from the swap, because SQLite reads every page that it frees, and searches wait for a swap. */
export function dropFormerVectors(db: Connection): void {
  db.exec('DROP TABLE IF EXISTS vectors_former');
}

interface BodyRow {
  key: number;
  title: string;
  first: number;
  count: number;
}

interface ChunkRow {
  label: number;
  start: number;
  end: number;
  headingPath: string;
  hash: Buffer | null;
}

/**
 * Another model's vectors, made beside the ones in use and put into their place in one transaction. What is done stays
 * done when the process is killed; the setting says for which model. The caller holds the writer lock.
 */
export class Reembedding {
  readonly #db: Connection;
  readonly #stored: StoredVectors;
  readonly #pages: PageReader;
  #waiting: Generator<{ label: number; text: EmbeddingText }> | undefined;

  constructor(db: Connection, stored: StoredVectors = 'float32') {
    this.#db = db;
    this.#stored = stored;
    this.#pages = new PageReader(db);
  }

  /** Starts, or goes on with the vectors of an earlier run of the same model; those of another one are dropped. */
  begin(embedder: EmbedderFingerprint): ReembeddingState {
    const db = this.#db;
    db.transaction(() => {
      const known = readSetting<string>(db, SETTING);
      const same = known !== undefined && embedderDifferences(JSON.parse(known), embedder).length === 0;
      if (!same) db.exec('DROP TABLE IF EXISTS vectors_next');
      db.exec(TABLE);
      writeSetting(db, SETTING, JSON.stringify(embedder));
    }).immediate();
    this.#waiting = this.#missing();
    const total = db
      .prepare('SELECT coalesce(sum(chunk_count), 0) FROM bodies WHERE died IS NULL')
      .pluck()
      .get() as number;
    return { total, done: total - this.#countMissing() };
  }

  /** The next texts without a new vector, in the order of their labels; none is given twice. */
  next(limit: number): TextsToEmbed {
    const labels: number[] = [];
    const texts: string[] = [];
    let uncertain = 0;
    while (labels.length < limit) {
      const row = this.#waiting!.next();
      if (row.done) break;
      labels.push(row.value.label);
      texts.push(row.value.text.text);
      if (!row.value.text.certain) uncertain++;
    }
    return { labels: Uint32Array.from(labels), texts: packTexts(texts), uncertain };
  }

  /** Durable when it returns. */
  add(labels: Uint32Array, { data, dims }: EmbeddingMatrix): void {
    const insert = this.#db.prepare('INSERT OR REPLACE INTO vectors_next VALUES (?, ?, ?)');
    const bytes = encodeVectors(data, dims, this.#stored);
    const rowBytes = bytes.length / Math.max(labels.length, 1);
    this.#db
      .transaction(() => {
        labels.forEach((label, row) => {
          const vector = bytes.subarray(row * rowBytes, (row + 1) * rowBytes);
          insert.run(label, vector, vectorChecksum(vector));
        });
      })
      .immediate();
  }

  /**
   * Puts the new vectors into the place of the old ones, and the new passport with them. Dead rows must be gone: they
   * would be left without vectors.
   */
  finish(passport: Passport): void {
    const db = this.#db;
    db.transaction(() => {
      dropFormerVectors(db);
      this.checkWhole();
      db.exec('ALTER TABLE vectors RENAME TO vectors_former');
      db.exec('ALTER TABLE vectors_next RENAME TO vectors');
      writeSetting(db, 'passport', JSON.stringify(passport));
      writeSetting(db, 'vectorsEpoch', vectorsEpoch(db) + 1);
      db.prepare('DELETE FROM settings WHERE key = ?').run(SETTING);
    }).immediate();
  }

  /** @throws SLUICE_INTERNAL while a live chunk has no new vector */
  checkWhole(): void {
    const missing = this.#countMissing();
    if (missing === 0) return;
    throw new SluiceError('SLUICE_INTERNAL', `${missing} chunks have no new vector yet`, {
      details: { missing },
    });
  }

  #countMissing(): number {
    const sql = `SELECT count(*) FROM bodies b JOIN chunks c ON c.body = b.key
      WHERE b.died IS NULL AND NOT EXISTS (SELECT 1 FROM vectors_next n WHERE n.label = c.label)`;
    return this.#db.prepare(sql).pluck().get() as number;
  }

  *#missing(): Generator<{ label: number; text: EmbeddingText }> {
    const made = this.#db
      .prepare<[number, number], number>('SELECT label FROM vectors_next WHERE label >= ? AND label < ?')
      .pluck();
    for (const body of this.#bodies()) {
      const done = new Set(made.all(body.first, body.first + body.count));
      if (done.size < body.count) yield* this.#textsOf(body, done);
    }
  }

  /** No statement stays open between two bodies: rows are written in between. */
  *#bodies(): Generator<BodyRow> {
    const page = this.#db.prepare<[number], BodyRow>(
      `SELECT b.key, d.title, b.first_label AS first, b.chunk_count AS count
       FROM bodies b JOIN documents d ON d.body = b.key AND d.died IS NULL
       WHERE b.key > ? AND b.died IS NULL ORDER BY b.key LIMIT ${PAGE_BODIES}`,
    );
    for (let after = 0; ; ) {
      const bodies = page.all(after);
      yield* bodies;
      if (bodies.length < PAGE_BODIES) return;
      after = bodies.at(-1)!.key;
    }
  }

  *#textsOf({ key, title, count }: BodyRow, done: ReadonlySet<number>) {
    const blob = this.#db.prepare<[number], Buffer>('SELECT data FROM keyword_texts WHERE body = ?').pluck();
    const rows = new KeywordTexts(blob.get(key)!, count);
    const chunks = this.#db.prepare<[number], ChunkRow>(
      `SELECT label, start, "end", heading_path AS headingPath, embedding_hash AS hash
       FROM chunks WHERE body = ? ORDER BY label`,
    );
    for (const { label, start, end, headingPath, hash } of chunks.all(key)) {
      const slice = this.#pages.slice(key, start, end);
      const keywordText = rows.next(() => Buffer.from(slice, 'utf8')).toString('utf8');
      if (done.has(label)) continue;
      yield { label, text: embeddingText({ title, headingPath, slice, keywordText, hash }) };
    }
  }
}
