import { BLOCK_KIND_NAMES, type DocumentFormat } from '../model/document.js';
import type { DocumentEntry, StoredChunk, StoredDocument } from '../model/store.js';
import { PageReader } from './pages.js';
import { type Connection, VISIBLE } from './schema.js';

interface ChunkRow {
  label: number;
  body: number;
  chunkId: string;
  documentId: string;
  source: string;
  title: string;
  headingPath: string;
  start: number;
  end: number;
  startLine: number;
  endLine: number;
  tokens: number;
  kind: number;
  metadata: string;
}

/** What a whole document is sent in: the caller's thread gets time to breathe between the pieces. */
export interface DocumentHead extends Omit<StoredDocument, 'text' | 'chunks'> {
  key: number;
  body: number;
  first: number;
  count: number;
}

const COLUMNS = `c.label, c.body, c.chunk_id AS chunkId, d.id AS documentId, d.source, d.title,
  c.heading_path AS headingPath, c.start, c."end" AS "end", c.start_line AS startLine, c.end_line AS endLine,
  c.tokens, c.kind, d.metadata`;

/** Turns labels and ids into what people see, at one generation. */
export class Hydrator {
  readonly #pages: PageReader;
  readonly #chunk;
  readonly #range;
  readonly #document;
  readonly #exists;
  readonly #text;

  constructor(db: Connection) {
    this.#pages = new PageReader(db);
    this.#chunk = db.prepare<{ label: number; generation: number }, ChunkRow>(
      `SELECT ${COLUMNS} FROM chunks c JOIN documents d ON d.body = c.body WHERE c.label = @label AND ${VISIBLE}`,
    );
    this.#range = db.prepare<{ key: number; first: number; end: number }, ChunkRow>(
      `SELECT ${COLUMNS} FROM documents d JOIN chunks c ON c.body = d.body
       WHERE d.key = @key AND c.label >= @first AND c.label < @end ORDER BY c.label`,
    );
    this.#document = db.prepare<{ id: string; generation: number }, Record<string, string | number>>(
      `SELECT key, body, id, source, title, format, metadata, first_label AS first, chunk_count AS count
       FROM documents d WHERE d.id = @id AND ${VISIBLE}`,
    );
    this.#exists = db
      .prepare<{ id: string; generation: number }, number>(
        `SELECT key FROM documents d WHERE d.id = @id AND ${VISIBLE}`,
      )
      .pluck();
    this.#text = db.prepare<[number, number, number], { start: number; text: string }>(
      'SELECT start, text FROM document_pages WHERE body = ? AND start >= ? ORDER BY start LIMIT ?',
    );
  }

  chunks(labels: Uint32Array, generation: number): StoredChunk[] {
    const found: StoredChunk[] = [];
    for (const label of labels) {
      const row = this.#chunk.get({ label, generation });
      if (row) found.push(toChunk(row, this.#pages.slice(row.body, row.start, row.end)));
    }
    return found;
  }

  head(id: string, generation: number): DocumentHead | undefined {
    const row = this.#document.get({ id, generation });
    if (!row) return undefined;
    const { metadata, format, ...rest } = row;
    return {
      ...rest,
      format: format as DocumentFormat,
      metadata: JSON.parse(metadata as string),
    } as DocumentHead;
  }

  /** Without their text. Same order; an id that is not live is left out. */
  entries(ids: readonly string[], generation: number): DocumentEntry[] {
    return ids.flatMap((id) => {
      const head = this.head(id, generation);
      if (!head) return [];
      const { key: _key, body: _body, first: _first, count, ...rest } = head;
      return [{ ...rest, chunks: count }];
    });
  }

  has(ids: readonly string[], generation: number): boolean[] {
    return ids.map((id) => this.#exists.get({ id, generation }) !== undefined);
  }

  pages(body: number, from: number, limit: number): { start: number; text: string }[] {
    return this.#text.all(body, from, limit);
  }

  /** Without their text, which the caller slices out of the document's. */
  chunkRange(range: { key: number; first: number; end: number }): StoredChunk[] {
    return this.#range.all(range).map((row) => toChunk(row, ''));
  }
}

function toChunk({ body: _body, kind, metadata, ...row }: ChunkRow, text: string): StoredChunk {
  return { ...row, text, kind: BLOCK_KIND_NAMES[kind]!, metadata: JSON.parse(metadata) };
}
