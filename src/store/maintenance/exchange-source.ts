import { BLOCK_KIND_NAMES } from '../../model/document.js';
import type { Passport } from '../../model/passport.js';
import type { DocumentCounts } from '../../model/store.js';
import { vectorTrouble } from '../../model/vector-length.js';
import { readDials } from '../dials.js';
import { KeywordTexts } from '../keyword-texts.js';
import { type Connection, readSetting } from '../schema.js';
import { damagedRow, storedJson } from '../trouble.js';
import { decodeVector, isStoredVector } from '../vector-codec.js';
import {
  EXCHANGE_VERSION,
  type ExchangeChunk,
  type ExchangeDocument,
  type ExchangeHeader,
  type ExchangeRoot,
  type ExchangeSource,
  type ExportVectors,
} from './exchange.js';
import type { ExportFilter, FilteredRow } from './export-filter.js';

interface DocumentRow {
  key: number;
  body: number;
  id: string;
  source: string;
  title: string;
  format: string;
  metadata: string;
  contentHash: string;
  first: number;
  count: number;
}

interface ChunkRow {
  label: number;
  id: string;
  start: number;
  end: number;
  startLine: number;
  endLine: number;
  page: number;
  parentStart: number;
  parentEnd: number;
  tokens: number;
  kind: number;
  headingPath: string;
  overLimit: number;
  hash: Buffer | null;
  vector: Buffer | null;
}

const PAGE_DOCUMENTS = 100;
const PAGE_SOURCES = 1_000;

/**
 * The live documents of a database in the order of their labels, one at a time: all, or those that pass a filter. The
 * caller holds a transaction.
 */
export class ExchangeReader {
  readonly #db: Connection;
  readonly #filter: ExportFilter | undefined;
  readonly #passport: Passport;
  readonly #statements;

  constructor(db: Connection, filter?: ExportFilter) {
    this.#db = db;
    this.#filter = filter;
    this.#passport = storedJson(readSetting<string>(db, 'passport'), "settings, row 'passport'");
    this.#statements = prepareStatements(db);
  }

  header(vectors: ExportVectors): ExchangeHeader {
    const counts = this.#filter?.counts ?? this.#statements.counts.get()!;
    const generation = readSetting<number>(this.#db, 'generation')!;
    const dials = readDials(this.#db);
    return { version: EXCHANGE_VERSION, passport: this.#passport, generation, ...counts, vectors, dials };
  }

  /** Under a filter those of which a source is exported: a path may be what the filter is to keep back. */
  async roots(): Promise<ExchangeRoot[]> {
    const roots = this.#db.prepare<[], ExchangeRoot>('SELECT name, path FROM roots ORDER BY name').all();
    if (this.#filter === undefined) return roots;
    const named = new Set<string>();
    for await (const { source } of this.sources()) named.add(source.split('/', 1)[0]!);
    return roots.filter(({ name }) => named.has(name));
  }

  /**
   * States of the source files. Under a filter those of which a document passes, as interrupted where another one does
   * not: the next run over the same folder must not take them for done.
   */
  async *sources(): AsyncGenerator<ExchangeSource> {
    for (let last = ''; ; ) {
      const page = this.#statements.sources.all(last);
      for (const state of page) {
        const share = await this.#shareOf(state.source);
        if (share === 'all') yield state;
        else if (share === 'some') yield { ...state, status: 'partial' };
      }
      if (page.length < PAGE_SOURCES) return;
      last = page.at(-1)!.source;
    }
  }

  async *documents(): AsyncGenerator<ExchangeDocument> {
    for (let last = 0; ; ) {
      const page = this.#statements.documents.all(last);
      const allowed = await this.#filter?.allows(page);
      for (const [i, row] of page.entries()) if (allowed?.[i] ?? true) yield this.#document(row);
      if (page.length < PAGE_DOCUMENTS) return;
      last = page.at(-1)!.body;
    }
  }

  /** How much of a source passes the filter. */
  async #shareOf(source: string): Promise<'all' | 'some' | 'none'> {
    if (this.#filter === undefined) return 'all';
    const allowed = await this.#filter.allows(this.#statements.documentsOf.all(source));
    if (!allowed.includes(true)) return 'none';
    return allowed.includes(false) ? 'some' : 'all';
  }

  #document({ key, body, count, metadata, ...row }: DocumentRow): ExchangeDocument {
    const place = `documents, row ${key}, document '${row.id}'`;
    const text = this.#statements.pages.all(body).join('');
    const keywords = keywordTextsOf(this.#statements.keywords.get(body), count, place);
    const chunks = this.#statements.chunks.all(body).map((chunk) => this.#chunk(chunk, keywords, place));
    if (chunks.length !== count)
      throw damagedRow(place, `it has ${chunks.length} chunks instead of ${count}`);
    const { id, source, title, format, contentHash } = row;
    return { id, source, title, format, metadata: storedJson(metadata, place), contentHash, text, chunks };
  }

  #chunk(row: ChunkRow, keywords: KeywordTexts, place: string): ExchangeChunk {
    const { label: _label, kind, overLimit, hash, vector, ...rest } = row;
    const { rest: text, endsWithSlice } = keywords.nextRest();
    const dims = this.#passport.embedder.dims;
    if (!vector || !isStoredVector(vector, dims))
      throw damagedRow(place, `the vector of chunk ${row.label} is not whole`);
    const values = new Float32Array(dims);
    decodeVector(vector, dims, values, 0);
    const trouble = vectorTrouble(values);
    if (trouble !== undefined) throw damagedRow(place, `the vector of chunk ${row.label} ${trouble}`);
    return {
      ...rest,
      kind: BLOCK_KIND_NAMES[kind] ?? String(kind),
      overLimit: overLimit === 1,
      embeddingHash: hash?.toString('hex') ?? null,
      keywords: text.toString('utf8'),
      keywordsOnly: !endsWithSlice,
      vector: values,
    };
  }
}

function keywordTextsOf(data: Buffer | undefined, count: number, place: string): KeywordTexts {
  try {
    return new KeywordTexts(data ?? Buffer.alloc(0), count);
  } catch (error) {
    throw damagedRow(place, (error as Error).message);
  }
}

function prepareStatements(db: Connection) {
  return {
    // Bodies and labels ascend together, and a body has one live document.
    documents: db.prepare<[number], DocumentRow>(
      `SELECT key, body, id, source, title, format, metadata, content_hash AS contentHash, first_label AS first,
         chunk_count AS count
       FROM documents INDEXED BY documents_body WHERE died IS NULL AND body > ? ORDER BY body LIMIT ${PAGE_DOCUMENTS}`,
    ),
    counts: db.prepare<[], DocumentCounts>(
      'SELECT count(*) AS documents, coalesce(sum(chunk_count), 0) AS chunks FROM documents WHERE died IS NULL',
    ),
    sources: db.prepare<[string], ExchangeSource>(
      `SELECT source, size, mtime AS mtimeMs, status, error FROM sources WHERE source > ? ORDER BY source
       LIMIT ${PAGE_SOURCES}`,
    ),
    documentsOf: db.prepare<[string], FilteredRow>(
      'SELECT id, first_label AS first, chunk_count AS count FROM documents WHERE source = ? AND died IS NULL',
    ),
    pages: db
      .prepare<[number], string>('SELECT text FROM document_pages WHERE body = ? ORDER BY start')
      .pluck(),
    keywords: db.prepare<[number], Buffer>('SELECT data FROM keyword_texts WHERE body = ?').pluck(),
    chunks: db.prepare<[number], ChunkRow>(
      `SELECT c.label, chunk_id AS id, start, "end" AS "end", start_line AS startLine, end_line AS endLine,
         page, parent_start AS parentStart, parent_end AS parentEnd, tokens,
         kind, heading_path AS headingPath, over_limit AS overLimit, embedding_hash AS hash, v.data AS vector
       FROM chunks c LEFT JOIN vectors v ON v.label = c.label WHERE body = ? ORDER BY c.label`,
    ),
  };
}
