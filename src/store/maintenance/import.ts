import { randomUUID } from 'node:crypto';
import { SluiceError } from '../../errors.js';
import type { Passport } from '../../model/passport.js';
import type { CommitBatch, SourceState } from '../../model/store.js';
import { Committer } from '../commit.js';
import { FORMAT_VERSION } from '../format.js';
import type { IndexLayout } from '../layout.js';
import { createDatabase, openForWriting } from '../schema.js';
import { SourceTable } from '../sources.js';
import { type ExchangeSource, type ExportFormat, invalidExport } from './exchange.js';
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
    const committer = new Committer(db, dims, new SourceTable(db));
    const addRoot = db.prepare('INSERT INTO roots VALUES (?, ?)');
    let batch = emptyBatch();
    let chunks = 0;
    let generation = 0;
    const seen = new Set<string>();
    const commit = () => {
      generation = committer.apply(batch).generation;
      batch = emptyBatch();
      chunks = 0;
    };
    for await (const item of reader.items()) {
      if ('root' in item) addRoot.run(item.root.name, item.root.path);
      else if ('source' in item) batch.sources.push(toState(item.source));
      else {
        const { id } = item.document;
        if (seen.has(id)) throw invalidExport(file, item.place, `the id '${id}' stands there twice`);
        seen.add(id);
        batch.documents.push(recordOf(item, dims, file));
        chunks += item.document.chunks.length;
        progress.step();
        if (chunks >= COMMIT_CHUNKS || batch.documents.length >= COMMIT_DOCUMENTS) commit();
      }
    }
    commit();
    return generation;
  } finally {
    db.close();
  }
}

function emptyBatch(): CommitBatch {
  return { documents: [], removeDocuments: [], sources: [] };
}

function recordOf(
  { document, place }: { document: Parameters<typeof toRecord>[0]; place: string },
  dims: number,
  file: string,
): CommitBatch['documents'][number] {
  try {
    return toRecord(document, dims);
  } catch (error) {
    if (SluiceError.is(error)) throw error;
    throw invalidExport(file, place, (error as Error).message);
  }
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
