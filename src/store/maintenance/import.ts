import { randomUUID } from 'node:crypto';
import type { Passport } from '../../model/passport.js';
import type { CommitBatch, SourceState } from '../../model/store.js';
import { Committer } from '../commit.js';
import { writeDials } from '../dials.js';
import { FORMAT_VERSION } from '../format.js';
import type { IndexLayout } from '../layout.js';
import { createDatabase, openForWriting } from '../schema.js';
import { SourceTable } from '../sources.js';
import { type ExchangeItem, type ExchangeSource, type ExportFormat, invalidExport } from './exchange.js';
import { toRecord } from './exchange-record.js';
import { JsonlReader } from './jsonl-reader.js';
import { ParquetReader } from './parquet-reader.js';
import type { ProgressSender } from './progress.js';

export interface ImportReport {
  folder: string;
  generation: number;
  documents: number;
  chunks: number;
  durationMs: number;
}

/** A commit takes up to this many chunks: they are in memory at once. */
const COMMIT_CHUNKS = 4_096;
const COMMIT_DOCUMENTS = 1_024;

/** Makes the database of a new index. What is derived from it is the business of the writer that opens it next. */
export async function importDatabase(
  layout: IndexLayout,
  { file, format }: { file: string; format: ExportFormat },
  progress: ProgressSender,
): Promise<{ passport: Passport; generation: number; documents: number; chunks: number }> {
  const reader = format === 'parquet' ? await ParquetReader.open(file) : new JsonlReader(file);
  try {
    const { header } = reader;
    const passport: Passport = { ...header.passport, formatVersion: FORMAT_VERSION };
    createDatabase(layout.database, passport, randomUUID());
    progress.start('documents', header.documents);
    const generation = await fill(layout, file, reader, passport.embedder.dims, progress);
    return { passport, generation, documents: header.documents, chunks: header.chunks };
  } finally {
    reader.close();
  }
}

async function fill(
  layout: IndexLayout,
  file: string,
  reader: JsonlReader | ParquetReader,
  dims: number,
  progress: ProgressSender,
): Promise<number> {
  const db = openForWriting(layout.database);
  // The whole folder is synced before it gets its name.
  db.pragma('synchronous = OFF');
  try {
    const { dials = {} } = reader.header;
    writeDials(db, dials);
    const committer = new Committer(db, dims, new SourceTable(db), dials.storedVectors);
    const addRoot = db.prepare('INSERT INTO roots VALUES (?, ?)');
    const once = new OnceEach(file);
    let batch = emptyBatch();
    let [documents, chunks, waiting, generation] = [0, 0, 0, 0];
    const commit = () => {
      generation = committer.apply(batch).generation;
      batch = emptyBatch();
      waiting = 0;
    };
    for await (const item of reader.items()) {
      once.check(item);
      if ('root' in item) addRoot.run(item.root.name, item.root.path);
      else if ('source' in item) batch.sources.push(toState(item.source));
      else {
        batch.documents.push(toRecord(item.document, dims));
        documents++;
        chunks += item.document.chunks.length;
        waiting += item.document.chunks.length;
        progress.step();
        if (waiting >= COMMIT_CHUNKS || batch.documents.length >= COMMIT_DOCUMENTS) commit();
      }
    }
    commit();
    const { header, headerPlace } = reader;
    if (header.documents !== documents || header.chunks !== chunks)
      throw invalidExport(
        file,
        headerPlace,
        `it says ${header.documents} documents with ${header.chunks} chunks, the file holds ${documents} with ${chunks}`,
      );
    return generation;
  } finally {
    db.close();
  }
}

/** Refuses what may stand in an index only once. */
class OnceEach {
  readonly #file: string;
  readonly #seen = new Map<string, Set<string>>();

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws SLUICE_EXPORT_INVALID */
  check(item: ExchangeItem & { place: string }): void {
    if ('document' in item) this.#once('document.id', item.document.id, item.place);
    else if ('source' in item) this.#once('source.source', item.source.source, item.place);
    else {
      this.#once('root.name', item.root.name, item.place);
      this.#once('root.path', item.root.path, item.place);
    }
  }

  #once(field: string, value: string, place: string): void {
    const seen = this.#seen.get(field) ?? new Set();
    this.#seen.set(field, seen);
    if (seen.has(value))
      throw invalidExport(this.#file, place, `${field} '${value}' stands there twice`, field);
    seen.add(value);
  }
}

function emptyBatch(): CommitBatch {
  return { documents: [], removeDocuments: [], sources: [] };
}

function toState({ source, size, mtimeMs, status, error }: ExchangeSource): SourceState {
  return {
    source,
    size,
    mtimeMs,
    status: status as SourceState['status'],
    error: error === null ? null : JSON.parse(error),
  };
}
