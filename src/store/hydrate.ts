import { BLOCK_KIND_NAMES, type DocumentFormat } from '../model/document.js';
import type { DocumentEntry, StoredChunk, StoredDocument } from '../model/store.js';
import { DOCUMENT_COLUMNS, documentChecksum } from './checksums.js';
import { ChunkIds } from './chunk-id.js';
import { PageReader } from './pages.js';
import { type Connection, VISIBLE } from './schema.js';
import { damagedRow } from './trouble.js';

interface ChunkRow {
  label: number;
  body: number;
  /** Key of the document's version, and the label of its first chunk. */
  version: number;
  first: number;
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
  page: number;
  parentStart: number;
  parentEnd: number;
  kind: number;
  metadata: string;
}

type Neighbour = Pick<ChunkRow, 'start' | 'end' | 'startLine' | 'endLine' | 'page'>;

/** What a whole document is sent in: the caller's thread gets time to breathe between the pieces. */
export interface DocumentHead extends Omit<StoredDocument, 'text' | 'chunks'> {
  key: number;
  body: number;
  first: number;
  count: number;
}

const COLUMNS = `c.label, c.body, d.key AS version, d.first_label AS first, c.chunk_id AS chunkId, d.id AS documentId, d.source, d.title,
  c.heading_path AS headingPath, c.start, c."end" AS "end", c.start_line AS startLine, c.end_line AS endLine,
  c.tokens, c.page, c.parent_start AS parentStart, c.parent_end AS parentEnd, c.kind, d.metadata`;

/** Document versions whose checksum is remembered to fit. */
const KNOWN_VERSIONS = 10_000;

/**
 * Turns labels and ids into what people see, at one generation. A chunk is compared with its id and its document with its
 * checksum (some 8 µs a hit): a damaged row is an error, never a passage that its source does not hold.
 */
export class Hydrator {
  readonly #pages: PageReader;
  readonly #chunk;
  readonly #range;
  readonly #before;
  readonly #behind;
  readonly #document;
  readonly #exists;
  readonly #text;
  readonly #version;
  readonly #sound = new Set<number>();

  constructor(db: Connection) {
    this.#pages = new PageReader(db);
    this.#chunk = db.prepare<{ label: number; generation: number }, ChunkRow>(
      `SELECT ${COLUMNS} FROM chunks c JOIN documents d ON d.body = c.body WHERE c.label = @label AND ${VISIBLE}`,
    );
    this.#range = db.prepare<{ key: number; first: number; end: number }, ChunkRow>(
      `SELECT ${COLUMNS} FROM documents d JOIN chunks c ON c.body = d.body
       WHERE d.key = @key AND c.label >= @first AND c.label < @end ORDER BY c.label`,
    );
    const neighbours = (order: string) =>
      db.prepare<{ body: number; label: number }, Neighbour>(
        `SELECT start, "end" AS "end", start_line AS startLine, end_line AS endLine, page FROM chunks
         WHERE body = @body AND ${order}`,
      );
    this.#before = neighbours('label < @label ORDER BY label DESC');
    this.#behind = neighbours('label > @label ORDER BY label');
    this.#document = db.prepare<{ id: string; generation: number }, Record<string, string | number>>(
      `SELECT key, body, id, source, title, format, metadata, first_label AS first, chunk_count AS count
       FROM documents d WHERE d.id = @id AND ${VISIBLE}`,
    );
    this.#version = db
      .prepare<[number], (string | number)[]>(
        `SELECT checksum, ${DOCUMENT_COLUMNS.join(', ')} FROM documents WHERE key = ?`,
      )
      .raw();
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
      if (row) found.push(this.#checked(row, this.#pages.slice(row.body, row.start, row.end)));
    }
    return found;
  }

  /** Each with the span of its parent: text, lines and page of all chunks that the parent holds. */
  parents(labels: Uint32Array, generation: number): StoredChunk[] {
    const found: StoredChunk[] = [];
    for (const label of labels) {
      const row = this.#chunk.get({ label, generation });
      if (row) found.push(this.#parentOf(row));
    }
    return found;
  }

  #parentOf(row: ChunkRow): StoredChunk {
    const { body, parentStart: start, parentEnd: end } = row;
    const chunk = this.#checked(row, this.#pages.slice(body, row.start, row.end));
    const place = { startLine: chunk.startLine, endLine: chunk.endLine, page: chunk.page };
    // Chunks of a body have ascending labels and starts, so those of a parent are neighbours.
    for (const one of this.#before.iterate({ body, label: chunk.label })) {
      if (one.start < start) break;
      place.startLine = Math.min(place.startLine, one.startLine);
      place.page = one.page;
    }
    for (const one of this.#behind.iterate({ body, label: chunk.label })) {
      if (one.start >= end) break;
      if (one.end <= end) place.endLine = Math.max(place.endLine, one.endLine);
    }
    return { ...chunk, ...place, start, end, text: this.#pages.slice(body, start, end) };
  }

  head(id: string, generation: number): DocumentHead | undefined {
    const row = this.#document.get({ id, generation });
    if (!row) return undefined;
    this.#checkVersion(row.key as number);
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
    this.#checkVersion(range.key);
    return this.#range.all(range).map((row) => toChunk(row, ''));
  }

  #checked(row: ChunkRow, text: string): StoredChunk {
    this.#checkVersion(row.version);
    const { label, documentId, chunkId, first } = row;
    if (!ChunkIds.fit(documentId, Buffer.from(text, 'utf8'), chunkId, label - first))
      throw damagedRow(placeOf(row), 'the text is not the one that the chunk was made of');
    return toChunk(row, text);
  }

  #checkVersion(key: number): void {
    if (this.#sound.has(key)) return;
    const [checksum, ...values] = this.#version.get(key)!;
    if (checksum !== documentChecksum(values))
      throw damagedRow(`documents, row ${key}, document '${values[1]}'`, 'its checksum does not fit');
    if (this.#sound.size >= KNOWN_VERSIONS) this.#sound.clear();
    this.#sound.add(key);
  }
}

function placeOf({ label, documentId }: Pick<ChunkRow, 'label' | 'documentId'>): string {
  return `chunks, row ${label}, document '${documentId}'`;
}

function toChunk(
  { body: _body, version: _version, first: _first, ...row }: ChunkRow,
  text: string,
): StoredChunk {
  const kind = BLOCK_KIND_NAMES[row.kind];
  if (kind === undefined) throw damagedRow(placeOf(row), `there is no kind ${row.kind}`);
  return { ...row, text, kind, metadata: JSON.parse(row.metadata) };
}
