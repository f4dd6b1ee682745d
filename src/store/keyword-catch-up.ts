import { isUtf8 } from 'node:buffer';
import { SluiceError } from '../errors.js';
import type { NativeKeywordWriter } from '../native/contract.js';
import { KeywordTexts } from './keyword-texts.js';
import { PageReader } from './pages.js';
import { type Connection, lastKeyUpTo, readSetting } from './schema.js';

const BATCH_ROWS = 2_000;
const BATCH_BYTES = 4 * 1024 * 1024;
const PAGE_BODIES = 200;
const PAGE_CHUNKS = 1_000;

interface BodyRow {
  key: number;
  first: number;
  count: number;
}

/**
 * Brings a keyword index from the state that it holds to the newest one in SQLite, without committing. Reads in pages, so
 * memory stays flat however much is missing. A chunk whose rows are damaged goes in without words: one row must not keep
 * all others from being found, and every live chunk has its place.
 * @returns chunks without words
 */
export async function catchUpKeywords(
  db: Connection,
  writer: NativeKeywordWriter,
  held: { generation: number; maxLabel: number },
): Promise<number> {
  if (held.generation === readSetting<number>(db, 'generation')) return 0;
  await removeDead(db, writer, held.generation);
  const feed = new RowFeed(writer);
  const rows = new RowSource(db);
  const missing = db.prepare<[number, number], BodyRow>(
    `SELECT key, first_label AS first, chunk_count AS count FROM bodies
     WHERE key > ? AND born > ? AND died IS NULL ORDER BY key LIMIT ${PAGE_BODIES}`,
  );
  for (let after = lastKeyUpTo(db, held.maxLabel); ; ) {
    const bodies = missing.all(after, held.generation);
    for (const body of bodies) await rows.feed(body, feed);
    if (bodies.length < PAGE_BODIES) break;
    after = bodies.at(-1)!.key;
  }
  await feed.flush();
  return rows.damaged;
}

async function removeDead(db: Connection, writer: NativeKeywordWriter, held: number): Promise<void> {
  const dead = db.prepare<{ held: number; after: number }, BodyRow>(
    `SELECT key, first_label AS first, chunk_count AS count FROM bodies INDEXED BY bodies_lifetime
     WHERE died > @held AND born <= @held AND key > @after ORDER BY key LIMIT ${PAGE_BODIES}`,
  );
  for (let after = 0; ; ) {
    const bodies = dead.all({ held, after });
    for (const { first, count } of bodies) {
      if (count > 0) await writer.remove(Uint32Array.from({ length: count }, (_, i) => first + i));
    }
    if (bodies.length < PAGE_BODIES) break;
    after = bodies.at(-1)!.key;
  }
}

/** Collects rows and hands them over in batches. */
class RowFeed {
  readonly #writer: NativeKeywordWriter;
  #labels: number[] = [];
  #texts: Buffer[] = [];
  #bytes = 0;

  constructor(writer: NativeKeywordWriter) {
    this.#writer = writer;
  }

  async add(label: number, text: Buffer): Promise<void> {
    this.#labels.push(label);
    this.#texts.push(text);
    this.#bytes += text.length;
    if (this.#labels.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#labels.length === 0) return;
    const offsets = new Uint32Array(this.#texts.length + 1);
    for (let row = 0; row < this.#texts.length; row++)
      offsets[row + 1] = offsets[row]! + this.#texts[row]!.length;
    await this.#writer.add(Uint32Array.from(this.#labels), Buffer.concat(this.#texts), offsets);
    this.#labels = [];
    this.#texts = [];
    this.#bytes = 0;
  }
}

/** Puts the keyword rows of stored bodies together again. */
class RowSource {
  damaged = 0;
  readonly #pages: PageReader;
  readonly #texts;
  readonly #spans;

  constructor(db: Connection) {
    this.#pages = new PageReader(db);
    this.#texts = db.prepare<[number], Buffer>('SELECT data FROM keyword_texts WHERE body = ?').pluck();
    this.#spans = db.prepare<[number, number], { label: number; start: number; end: number }>(
      'SELECT label, start, "end" AS "end" FROM chunks WHERE label >= ? AND label < ? ORDER BY label',
    );
  }

  async feed({ key, first, count }: BodyRow, feed: RowFeed): Promise<void> {
    if (count === 0) return;
    const texts = this.#textsOf(key, count);
    for (let from = first; from < first + count; from += PAGE_CHUNKS) {
      const to = Math.min(from + PAGE_CHUNKS, first + count);
      const spans = new Map(this.#spans.all(from, to).map((span) => [span.label, span]));
      for (let label = from; label < to; label++) {
        const text = rowText(texts, () => this.#slice(key, spans.get(label)));
        if (text === undefined) this.damaged++;
        await feed.add(label, text ?? NO_WORDS);
      }
    }
  }

  #textsOf(key: number, count: number): KeywordTexts | undefined {
    try {
      return new KeywordTexts(this.#texts.get(key) ?? NO_WORDS, count);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Undefined where it is not there. */
  #slice(key: number, span: { start: number; end: number } | undefined): Buffer | undefined {
    if (span === undefined) return undefined;
    try {
      return Buffer.from(this.#pages.slice(key, span.start, span.end), 'utf8');
    } catch (error) {
      if (SluiceError.is(error) && error.code === 'SLUICE_INDEX_CORRUPT') return undefined;
      throw error;
    }
  }
}

const NO_WORDS = Buffer.alloc(0);

/** The next row; undefined where it cannot be had, or is no text. */
function rowText(texts: KeywordTexts | undefined, slice: () => Buffer | undefined): Buffer | undefined {
  if (texts === undefined) return undefined;
  const { rest, endsWithSlice } = texts.nextRest();
  const own = endsWithSlice ? slice() : NO_WORDS;
  if (own === undefined || !isUtf8(rest)) return undefined;
  return own.length === 0 ? rest : Buffer.concat([rest, own]);
}
