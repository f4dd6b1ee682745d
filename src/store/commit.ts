import { SluiceError } from '../errors.js';
import type { DocumentRecord } from '../model/document-record.js';
import type { CommitBatch } from '../model/store.js';
import type { TextColumn } from '../model/text-column.js';
import { ChunkIds } from './chunk-id.js';
import { encodeKeywordTexts } from './keyword-texts.js';
import { checkDepth, FieldCounts } from './metadata-fields.js';
import { pagesOf } from './pages.js';
import { type Connection, lastLabel, readSetting, writeSetting } from './schema.js';
import type { SourceTable } from './sources.js';
import { type OpenedBatch, openBatch } from './transfer.js';

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
}

interface LiveDocument {
  key: number;
  source: string;
  metadata: string;
  first: number;
  count: number;
}

/** Writes one batch as one SQLite transaction: all of it, or an exception and nothing. */
export class Committer {
  readonly #db: Connection;
  readonly #dims: number;
  readonly #sources: SourceTable;
  readonly #statements;

  constructor(db: Connection, dims: number, sources: SourceTable) {
    this.#db = db;
    this.#dims = dims;
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
    const commit: AppliedCommit = { generation, lastLabel: lastLabel(this.#db), added: [], removed: [] };
    const fields = new FieldCounts();
    const touchedSources = new Set<string>();
    for (const id of batch.removeDocuments) this.#bury(id, commit, fields, touchedSources);
    for (const { record, vectors } of batch.documents) {
      this.#bury(record.id, commit, fields, touchedSources);
      this.#add(record, vectors.data, commit);
      fields.add(record.metadata, 1);
    }
    fields.write(this.#db);
    this.#sources.write(batch.sources);
    const named = new Set(batch.sources.map(({ source }) => source));
    for (const source of touchedSources) if (!named.has(source)) this.#sources.forgetIfEmpty(source);
    if (commit.added.length === 0 && commit.removed.length === 0) commit.generation--;
    else writeSetting(this.#db, 'generation', generation);
    return commit;
  }

  #bury(id: string, commit: AppliedCommit, fields: FieldCounts, sources: Set<string>): void {
    const old = this.#statements.live.get(id);
    if (!old) return;
    this.#statements.bury.run(commit.generation, old.key);
    fields.add(JSON.parse(old.metadata), -1);
    sources.add(old.source);
    commit.removed.push({ first: old.first, count: old.count });
  }

  #add(record: DocumentRecord, vectors: Float32Array, commit: AppliedCommit): void {
    const { chunks } = record;
    const count = chunks.start.length;
    const first = commit.lastLabel + 1;
    if (first + count > MAX_LABEL)
      throw new SluiceError('SLUICE_INTERNAL', 'the index has used up its labels');
    const text = decoder.decode(record.text);
    const key = this.#addDocument(record, first, commit.generation);
    for (const page of pagesOf(text)) this.#statements.page.run(key, page.start, page.text);
    const slices = this.#addChunks(record, text, key, first);
    this.#addVectors(vectors, first, count);
    this.#statements.keywordTexts.run(key, encodeKeywordTexts(record.keywordText, slices));
    commit.added.push({ first, count, text: record.keywordText });
    commit.lastLabel += count;
  }

  #addDocument(record: DocumentRecord, firstLabel: number, generation: number): number {
    const { chunks } = record;
    const sum = (column: Iterable<number>) => Array.from(column).reduce((total, value) => total + value, 0);
    const { lastInsertRowid } = this.#statements.document.run({
      id: record.id,
      source: record.source,
      title: record.title,
      format: record.format,
      metadata: JSON.stringify(record.metadata),
      contentHash: record.contentHash,
      firstLabel,
      chunks: chunks.start.length,
      tokens: sum(chunks.tokens),
      overLimit: sum(chunks.overLimit),
      generation,
    });
    return Number(lastInsertRowid);
  }

  /** Returns the UTF-8 of each chunk's text. */
  #addChunks({ id, chunks }: DocumentRecord, text: string, key: number, first: number): Buffer[] {
    const ids = new ChunkIds(id);
    const slices: Buffer[] = [];
    for (let i = 0; i < chunks.start.length; i++) {
      const slice = Buffer.from(text.slice(chunks.start[i], chunks.end[i]), 'utf8');
      slices.push(slice);
      this.#statements.chunk.run(
        first + i,
        key,
        ids.next(slice),
        chunks.start[i],
        chunks.end[i],
        chunks.startLine[i],
        chunks.endLine[i],
        chunks.tokens[i],
        chunks.kind[i],
        chunks.headingPath[i],
        chunks.overLimit[i],
      );
    }
    return slices;
  }

  #addVectors(vectors: Float32Array, first: number, count: number): void {
    const rowBytes = this.#dims * 4;
    const bytes = Buffer.from(vectors.buffer, vectors.byteOffset, count * rowBytes);
    for (let i = 0; i < count; i++) {
      this.#statements.vector.run(first + i, bytes.subarray(i * rowBytes, (i + 1) * rowBytes));
    }
  }
}

function prepareStatements(db: Connection) {
  return {
    live: db.prepare<[string], LiveDocument>(
      `SELECT key, source, metadata, first_label AS first, chunk_count AS count
       FROM documents WHERE id = ? AND died IS NULL`,
    ),
    bury: db.prepare('UPDATE documents SET died = ? WHERE key = ?'),
    document: db.prepare(
      `INSERT INTO documents(id, source, title, format, metadata, content_hash, first_label, chunk_count,
         token_count, over_limit_count, born)
       VALUES (@id, @source, @title, @format, @metadata, @contentHash, @firstLabel, @chunks,
         @tokens, @overLimit, @generation)`,
    ),
    page: db.prepare('INSERT INTO document_pages VALUES (?, ?, ?)'),
    chunk: db.prepare('INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    vector: db.prepare('INSERT INTO vectors VALUES (?, ?)'),
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
    checkFinite(record.id, vectors.data, dims);
  }
}

function checkFinite(id: string, data: Float32Array, dims: number): void {
  const at = data.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return;
  const chunk = Math.floor(at / dims);
  throw new SluiceError(
    'SLUICE_EMBEDDING_INVALID',
    `the vector of chunk ${chunk} of '${id}' holds ${data[at]}`,
    {
      details: { id, chunk },
    },
  );
}
