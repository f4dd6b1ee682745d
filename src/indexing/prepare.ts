import { createHash } from 'node:crypto';
import { noContextCounts } from '../context-lines/index.js';
import {
  contentHash,
  makeDocument,
  type ReadOptions,
  readFileDocument,
  readJsonlBlock,
} from '../documents/index.js';
import { SluiceError, toErrorRecord } from '../errors.js';
import type { SituatedChunker, SituatedChunks } from '../model/context-line.js';
import type { Document } from '../model/document.js';
import { type DocumentRecord, EMBEDDING_HASH_BYTES } from '../model/document-record.js';
import { sealRecord } from '../model/sealed-record.js';
import { joinTexts, type TextColumn, textCount } from '../model/text-column.js';
import { segmentAll } from '../tokens/index.js';
import { boundedMap } from './bounded-map.js';
import { unpackInput } from './given-documents.js';
import type { SkippedItem } from './ledger.js';
import type { PreparedBatch, PrepareTask } from './prepare-task.js';
import type { ItemMarks } from './thread-marks.js';

/** A small file's read is four calls that each wait for a thread: waiting for one after another took most of the time. */
const READS_UNDER_WAY = 8;

const encoder = new TextEncoder();

/**
 * Parses and chunks one portion of work. Runs in a worker thread. A file or record that cannot be read becomes a
 * skipped item; nothing that a document holds can make the portion fail.
 * @param marks told which items are under way, by their place in the portion
 */
export async function prepare(
  task: PrepareTask,
  chunker: SituatedChunker,
  reading: ReadOptions = {},
  marks?: ItemMarks,
): Promise<PreparedBatch> {
  const batch: Portion = {
    records: [],
    skipped: [],
    files: [],
    incomplete: [],
    recordsOf: null,
    contexts: noContextCounts(),
    bytes: 0,
    readMs: 0,
    chunkMs: 0,
  };
  const started = performance.now();
  if (task.kind === 'files') await prepareFiles(task.files, chunker, reading, batch, marks);
  else if (task.kind === 'jsonl') await prepareJsonl(task, chunker, batch, marks);
  else await prepareInputs(task.inputs, chunker, batch, marks);
  const { records, ...rest } = batch;
  return {
    ...rest,
    documents: records.map(sealRecord),
    texts: joinTexts(records.map(({ chunks }) => chunks.embeddingText)),
    embeddingHashes: joinHashes(records.map(({ embeddingHashes }) => embeddingHashes)),
    readMs: performance.now() - started - batch.chunkMs,
  };
}

type HashedRecord = DocumentRecord & { embeddingHashes: Uint8Array };

/** A batch while it is being filled. */
interface Portion extends Omit<PreparedBatch, 'documents' | 'texts' | 'embeddingHashes'> {
  records: HashedRecord[];
}

type Task<K extends PrepareTask['kind']> = Extract<PrepareTask, { kind: K }>;

async function prepareFiles(
  files: Task<'files'>['files'],
  chunker: SituatedChunker,
  reading: ReadOptions,
  batch: Portion,
  marks: ItemMarks | undefined,
): Promise<void> {
  const reads = boundedMap(files.entries(), READS_UNDER_WAY, async ([item, file]) => {
    const done = marks?.begin(item);
    try {
      return { item, file, document: await readFileDocument(file, reading) };
    } catch (error) {
      return { item, file, error };
    } finally {
      done?.();
    }
  });
  for await (const read of reads) {
    const { item, file } = read;
    batch.bytes += file.size;
    const done = marks?.begin(item);
    try {
      if (read.document === undefined) throw read.error;
      batch.records.push(await record(read.document, chunker, batch));
      batch.files.push({ file, error: null });
    } catch (error) {
      passOnAbort(error);
      const failure = toErrorRecord(error, 'SLUICE_FILE_UNREADABLE');
      batch.files.push({ file, error: failure });
      batch.skipped.push({ source: file.source, error: failure });
    } finally {
      done?.();
    }
  }
}

async function prepareJsonl(
  task: Task<'jsonl'>,
  chunker: SituatedChunker,
  batch: Portion,
  marks: ItemMarks | undefined,
): Promise<void> {
  const block = readJsonlBlock(task.bytes, { source: task.file.source, firstLine: task.firstLine });
  const { source: file } = task.file;
  batch.recordsOf = file;
  batch.skipped.push(...task.skipped);
  for (const { line, error } of block.skipped) batch.skipped.push({ source: `${file}:${line}`, file, error });
  for (const [i, document] of block.documents.entries()) {
    const done = marks?.begin(block.lines[i]! - task.firstLine);
    await tryRecord(() => document, document.id, chunker, batch, file);
    done?.();
  }
  batch.bytes += task.sourceBytes;
  if (task.lastBlock) batch.files.push({ file: task.file, error: null });
}

async function prepareInputs(
  inputs: Task<'inputs'>['inputs'],
  chunker: SituatedChunker,
  batch: Portion,
  marks: ItemMarks | undefined,
): Promise<void> {
  for (const [item, packed] of inputs.entries()) {
    const done = marks?.begin(item);
    const input = unpackInput(packed);
    await tryRecord(() => makeDocument(input), String(input.id), chunker, batch);
    done?.();
  }
}

async function tryRecord(
  make: () => Document,
  name: string,
  chunker: SituatedChunker,
  batch: Portion,
  file?: string,
): Promise<void> {
  try {
    batch.records.push(await record(make(), chunker, batch, file));
  } catch (error) {
    passOnAbort(error);
    batch.skipped.push({ source: name, ...(file !== undefined && { file }), error: toErrorRecord(error) });
  }
}

/** @param file the file of many records that it is from */
async function record(
  document: Document,
  chunker: SituatedChunker,
  batch: Portion,
  file?: string,
): Promise<HashedRecord> {
  const started = performance.now();
  const { contextTrouble, ...chunks } = await chunker.chunk(document);
  const keywordText = segmentAll(chunks.embeddingText);
  batch.chunkMs += performance.now() - started;
  const embeddingHashes = hashRows(chunks.embeddingText);
  if (contextTrouble) batch.incomplete.push(incompleteItem(document, contextTrouble, file));
  return {
    id: document.id,
    source: document.source,
    title: document.title,
    format: document.format,
    metadata: document.metadata,
    contentHash: contextTrouble ? incompleteHash(document, embeddingHashes) : contentHash(document),
    text: encoder.encode(document.text),
    chunks,
    keywordText,
    embeddingHashes,
  };
}

function incompleteItem(
  { id }: Document,
  { chunks, error }: NonNullable<SituatedChunks['contextTrouble']>,
  file: string | undefined,
): SkippedItem {
  const { code, message, details } = error;
  const what = chunks === 1 ? 'a chunk has' : `${chunks} chunks have`;
  return {
    source: id,
    ...(file !== undefined && { file }),
    error: { code, message: `${what} no context line: ${message}`, details: { ...details, chunks } },
  };
}

/** Another one than the document's own, so that the next run does not take it for unchanged; and another with each line that comes. */
function incompleteHash(document: Document, embeddingHashes: Uint8Array): string {
  return createHash('sha256').update(contentHash(document)).update(embeddingHashes).digest('hex');
}

/** An aborted document is none that failed: its portion is given up, and the next run takes it up. */
function passOnAbort(error: unknown): void {
  if (SluiceError.is(error) && error.code === 'SLUICE_ABORTED') throw error;
}

function joinHashes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function hashRows(column: TextColumn): Uint8Array {
  const rows = textCount(column);
  const hashes = new Uint8Array(rows * EMBEDDING_HASH_BYTES);
  for (let row = 0; row < rows; row++) {
    const text = column.bytes.subarray(column.offsets[row], column.offsets[row + 1]);
    const digest = createHash('sha256').update(text).digest();
    hashes.set(digest.subarray(0, EMBEDDING_HASH_BYTES), row * EMBEDDING_HASH_BYTES);
  }
  return hashes;
}
