import { SluiceError } from '../errors.js';
import type { Metadata } from '../model/document.js';
import { type DocumentRecord, EMBEDDING_HASH_BYTES } from '../model/document-record.js';
import type { CommitBatch } from '../model/store.js';
import type { TextColumn } from '../model/text-column.js';
import { vectorTrouble } from '../model/vector-length.js';
import {
  BodyChecksum,
  CHUNK_COLUMNS,
  DOCUMENT_COLUMNS,
  documentChecksum,
  textHash,
  vectorChecksum,
} from './checksums.js';
import { ChunkIds } from './chunk-id.js';
import { encodeKeywordTexts } from './keyword-texts.js';
import { checkDepth } from './metadata-depth.js';
import { pagesOf } from './pages.js';
import { type Connection, lastLabel, readSetting, writeSetting } from './schema.js';
import type { SourceTable } from './sources.js';
import { type OpenedBatch, openBatch } from './transfer.js';
import { encodeVectors, type StoredVectors } from './vector-codec.js';

/** Labels are uint32 in every index that is derived from SQLite. */
const MAX_LABEL = 0xffff_ffff;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Consecutive labels of one document. */
export interface LabelRange {
  first: number;
  count: number;
}

/** What a commit changed, for the keyword index. */
export interface AppliedCommit {
  generation: number;
  lastLabel: number;
  added: (LabelRange & { text: TextColumn })[];
  removed: LabelRange[];
  /** Documents that got new metadata and nothing else. */
  updated: number;
}

interface LiveDocument {
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
  tokens: number;
  overLimit: number;
}

type NewDocument = Omit<LiveDocument, 'key'> & { generation: number };

/** Writes one batch as one SQLite transaction: all of it, or an exception and nothing. */
export class Committer {
  readonly #db: Connection;
  readonly #dims: number;
  readonly #stored: StoredVectors;
  readonly #sources: SourceTable;
  readonly #statements;

  constructor(db: Connection, dims: number, sources: SourceTable, stored: StoredVectors = 'float32') {
    this.#db = db;
    this.#dims = dims;
    this.#stored = stored;
    this.#sources = sources;
    this.#statements = prepareStatements(db);
  }

  apply(packed: CommitBatch): AppliedCommit {
    const batch = openBatch(packed, this.#dims);
    validateBatch(batch, this.#dims);
    return this.#db.transaction(() => this.#write(batch)).immediate();
  }

  #write(batch: OpenedBatch): AppliedCommit {
    const generation = readSetting<number>(this.#db, 'generation')! + 1;
    const commit: AppliedCommit = {
      generation,
      lastLabel: lastLabel(this.#db),
      added: [],
      removed: [],
      updated: 0,
    };
    const touchedSources = new Set<string>();
    for (const id of batch.removeDocuments) this.#bury(id, commit, touchedSources);
    for (const { record, vectors } of batch.documents) {
      this.#bury(record.id, commit, touchedSources);
      this.#add(record, vectors.data, commit);
    }
    for (const { id, metadata } of batch.updateMetadata ?? []) this.#update(id, metadata, commit);
    this.#sources.write(batch.sources);
    const named = new Set(batch.sources.map(({ source }) => source));
    for (const source of touchedSources) if (!named.has(source)) this.#sources.forgetIfEmpty(source);
    if (commit.added.length === 0 && commit.removed.length === 0 && commit.updated === 0) commit.generation--;
    else writeSetting(this.#db, 'generation', generation);
    return commit;
  }

  #bury(id: string, commit: AppliedCommit, sources: Set<string>): void {
    const old = this.#statements.live.get(id);
    if (!old) return;
    this.#statements.bury.run(commit.generation, old.key);
    this.#statements.buryBody.run(commit.generation, old.body);
    sources.add(old.source);
    commit.removed.push({ first: old.first, count: old.count });
  }

  /** A new version of the same body: labels, vectors and keywords stay. */
  #update(id: string, metadata: Metadata, commit: AppliedCommit): void {
    const old = this.#statements.live.get(id);
    const spelled = JSON.stringify(metadata);
    if (!old || spelled === old.metadata) return;
    this.#statements.bury.run(commit.generation, old.key);
    this.#addDocument({ ...old, metadata: spelled, generation: commit.generation });
    commit.updated++;
  }

  #add(record: DocumentRecord, vectors: Float32Array, commit: AppliedCommit): void {
    const { chunks } = record;
    const count = chunks.start.length;
    const first = commit.lastLabel + 1;
    if (first + count > MAX_LABEL)
      throw new SluiceError('SLUICE_INTERNAL', 'the index has used up its labels');
    const { generation } = commit;
    const body = this.#addBody(record, { first, count, generation });
    const sum = (column: Iterable<number>) => Array.from(column).reduce((total, value) => total + value, 0);
    const { id, source, title, format, contentHash } = record;
    const metadata = JSON.stringify(record.metadata);
    const tokens = sum(chunks.tokens);
    const overLimit = sum(chunks.overLimit);
    this.#addDocument({
      body,
      id,
      source,
      title,
      format,
      metadata,
      contentHash,
      first,
      count,
      tokens,
      overLimit,
      generation,
    });
    this.#addVectors(vectors, first, count);
    commit.added.push({ first, count, text: record.keywordText });
    commit.lastLabel += count;
  }

  #addDocument(document: NewDocument): void {
    const { body, id, source, title, format, metadata, contentHash } = document;
    const { first, count, tokens, overLimit, generation } = document;
    const values = [body, id, source, title, format, metadata, contentHash, first, count, tokens, overLimit];
    this.#statements.document.run(...values, documentChecksum(values), generation);
  }

  /** Text, chunks and keyword texts. Returns the body's key. */
  #addBody(
    record: DocumentRecord,
    { first, count, generation }: LabelRange & { generation: number },
  ): number {
    const text = decoder.decode(record.text);
    const hash = textHash(record.text);
    const body = Number(this.#statements.body.run(first, count, hash, generation).lastInsertRowid);
    const checksum = new BodyChecksum();
    for (const page of pagesOf(text)) {
      this.#statements.page.run(body, page.start, page.text);
      checksum.text(Buffer.from(page.text, 'utf8'));
    }
    const slices = this.#addChunks(record, text, body, first, checksum);
    const keywordTexts = encodeKeywordTexts(record.keywordText, slices);
    this.#statements.keywordTexts.run(body, keywordTexts);
    this.#statements.bodyChecksum.run(checksum.keywordTexts(keywordTexts), body);
    return body;
  }

  /** Returns the UTF-8 of each chunk's text. */
  #addChunks(
    { id, chunks, embeddingHashes }: DocumentRecord,
    text: string,
    body: number,
    first: number,
    checksum: BodyChecksum,
  ): Buffer[] {
    const ids = new ChunkIds(id);
    const slices: Buffer[] = [];
    for (let i = 0; i < chunks.start.length; i++) {
      const slice = Buffer.from(text.slice(chunks.start[i], chunks.end[i]), 'utf8');
      slices.push(slice);
      const values = [
        first + i,
        ids.next(slice),
        chunks.start[i]!,
        chunks.end[i]!,
        chunks.startLine[i]!,
        chunks.endLine[i]!,
        chunks.tokens[i]!,
        chunks.kind[i]!,
        chunks.headingPath[i]!,
        chunks.overLimit[i]!,
        chunks.page[i]!,
        chunks.parentStart[i]!,
        chunks.parentEnd[i]!,
      ];
      const hash = embeddingHashes?.subarray(i * EMBEDDING_HASH_BYTES, (i + 1) * EMBEDDING_HASH_BYTES);
      this.#statements.chunk.run(...values, body, hash ?? null);
      checksum.chunk(values);
    }
    return slices;
  }

  #addVectors(vectors: Float32Array, first: number, count: number): void {
    const bytes = encodeVectors(vectors, this.#dims, this.#stored);
    const rowBytes = bytes.length / count;
    for (let i = 0; i < count; i++) {
      const data = bytes.subarray(i * rowBytes, (i + 1) * rowBytes);
      this.#statements.vector.run(first + i, data, vectorChecksum(data));
    }
  }
}

function prepareStatements(db: Connection) {
  return {
    live: db.prepare<[string], LiveDocument>(
      `SELECT key, body, id, source, title, format, metadata, content_hash AS contentHash, first_label AS first,
         chunk_count AS count, token_count AS tokens, over_limit_count AS overLimit
       FROM documents WHERE id = ? AND died IS NULL`,
    ),
    bury: db.prepare('UPDATE documents SET died = ? WHERE key = ?'),
    buryBody: db.prepare('UPDATE bodies SET died = ? WHERE key = ?'),
    body: db.prepare(
      'INSERT INTO bodies(first_label, chunk_count, text_hash, checksum, born) VALUES (?, ?, ?, 0, ?)',
    ),
    bodyChecksum: db.prepare('UPDATE bodies SET checksum = ? WHERE key = ?'),
    document: db.prepare(
      `INSERT INTO documents(${DOCUMENT_COLUMNS.join(', ')}, checksum, born)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    page: db.prepare('INSERT INTO document_pages VALUES (?, ?, ?)'),
    chunk: db.prepare(
      `INSERT INTO chunks(${CHUNK_COLUMNS.map((name) => `"${name}"`).join(', ')}, body, embedding_hash)
       VALUES (${CHUNK_COLUMNS.map(() => '?').join(', ')}, ?, ?)`,
    ),
    vector: db.prepare('INSERT INTO vectors VALUES (?, ?, ?)'),
    keywordTexts: db.prepare('INSERT INTO keyword_texts VALUES (?, ?)'),
  };
}

/** @throws SLUICE_EMBEDDING_INVALID, SLUICE_DUPLICATE_ID, SLUICE_RECORD_INVALID */
function validateBatch(batch: OpenedBatch, dims: number): void {
  const ids = new Set<string>();
  for (const { record, vectors } of batch.documents) {
    if (ids.has(record.id)) {
      throw new SluiceError('SLUICE_DUPLICATE_ID', `the id '${record.id}' stands twice in one commit`, {
        details: { id: record.id },
      });
    }
    ids.add(record.id);
    checkDepth(record.id, record.metadata);
    checkVectors(record.id, vectors.data, dims);
  }
  for (const { id, metadata } of batch.updateMetadata ?? []) checkDepth(id, metadata);
}

function checkVectors(id: string, data: Float32Array, dims: number): void {
  for (let chunk = 0; chunk * dims < data.length; chunk++) {
    const trouble = vectorTrouble(data, chunk * dims, dims);
    if (trouble === undefined) continue;
    throw new SluiceError('SLUICE_EMBEDDING_INVALID', `the vector of chunk ${chunk} of '${id}' ${trouble}`, {
      details: { id, chunk },
    });
  }
}
