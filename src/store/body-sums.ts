import { BodyChecksum, CHUNK_COLUMNS, textHash } from './checksums.js';
import type { Connection } from './schema.js';

/** What the rows of a body say its hash and checksum are. */
export class BodySums {
  readonly #pages;
  readonly #chunks;
  readonly #keywordTexts;

  /** @param chunkColumns those that the checksums cover; older formats had fewer */
  constructor(db: Connection, chunkColumns: readonly string[] = CHUNK_COLUMNS) {
    this.#pages = db
      .prepare<[number], string>('SELECT text FROM document_pages WHERE body = ? ORDER BY start')
      .pluck();
    this.#chunks = db
      .prepare<[number], (string | number)[]>(
        `SELECT ${chunkColumns.map((name) => `"${name}"`).join(', ')} FROM chunks WHERE body = ? ORDER BY label`,
      )
      .raw();
    this.#keywordTexts = db
      .prepare<[number], Buffer>('SELECT data FROM keyword_texts WHERE body = ?')
      .pluck();
  }

  of(body: number): { hash: number; checksum: number } {
    const text = Buffer.from(this.#pages.all(body).join(''), 'utf8');
    const checksum = new BodyChecksum().text(text);
    for (const values of this.#chunks.iterate(body)) checksum.chunk(values);
    const keywordTexts = this.#keywordTexts.get(body) ?? Buffer.alloc(0);
    return { hash: textHash(text), checksum: checksum.keywordTexts(keywordTexts) };
  }
}
