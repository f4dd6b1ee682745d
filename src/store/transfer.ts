import type { Transferable } from 'node:worker_threads';
import { SluiceError } from '../errors.js';
import type { ChunkColumns } from '../model/chunk.js';
import { type DocumentRecord, EMBEDDING_HASH_BYTES } from '../model/document-record.js';
import type { EmbeddingMatrix } from '../model/embedder.js';
import { isSealed, unsealRecord } from '../model/sealed-record.js';
import type { CommitBatch } from '../model/store.js';
import { type TextColumn, textCount } from '../model/text-column.js';

type BytesOrFloats = Uint8Array | Uint32Array | Float32Array;

/**
 * A batch in the form that goes to the writer's thread: checked for its shape, stripped of what the store does not
 * keep, its big arrays listed for transfer.
 */
export function packBatch(batch: CommitBatch, dims: number, transfer: Transferable[]): CommitBatch {
  const pack = new Packer(transfer);
  for (const { record, vectors } of batch.documents) {
    if (isSealed(record)) checkVectors(record.id, record.rows, vectors, dims);
    else checkShape(record, vectors, dims);
  }
  return {
    documents: batch.documents.map(({ record, vectors }) => ({
      record: isSealed(record) ? { ...record, bytes: pack.handOver(record.bytes) } : pack.record(record),
      vectors: { rows: vectors.rows, dims, data: pack.handOver(vectors.data) },
    })),
    removeDocuments: batch.removeDocuments,
    sources: batch.sources,
    ...(batch.updateMetadata && { updateMetadata: batch.updateMetadata }),
  };
}

const NO_TEXTS: TextColumn = { bytes: new Uint8Array(0), offsets: new Uint32Array(1) };

class Packer {
  readonly #transfer: Transferable[];
  readonly #listed = new Set<ArrayBufferLike>();

  constructor(transfer: Transferable[]) {
    this.#transfer = transfer;
  }

  /** Cloning a view would clone its whole buffer, and transferring it would take the neighbours along. */
  handOver<T extends BytesOrFloats>(array: T): T {
    const { buffer } = array;
    if (buffer instanceof SharedArrayBuffer) return array;
    const own = array.byteLength === buffer.byteLength && !this.#listed.has(buffer);
    const handed = (own ? array : array.slice()) as T;
    if (handed.byteLength > 0) {
      this.#listed.add(handed.buffer);
      this.#transfer.push(handed.buffer as ArrayBuffer);
    }
    return handed;
  }

  record(record: DocumentRecord): DocumentRecord {
    return {
      ...record,
      text: this.handOver(record.text),
      chunks: this.columns(record.chunks),
      keywordText: this.texts(record.keywordText),
      embeddingHashes: record.embeddingHashes?.slice() ?? null,
    };
  }

  /** Small, and callers count on them after a commit: copied. */
  columns(chunks: ChunkColumns): ChunkColumns {
    const { start, end, tokens, startLine, endLine, page, parentStart, parentEnd, kind } = chunks;
    return {
      start: start.slice(),
      end: end.slice(),
      tokens: tokens.slice(),
      startLine: startLine.slice(),
      endLine: endLine.slice(),
      page: page.slice(),
      parentStart: parentStart.slice(),
      parentEnd: parentEnd.slice(),
      kind: kind.slice(),
      headingPath: chunks.headingPath,
      overLimit: chunks.overLimit.slice(),
      embeddingText: NO_TEXTS,
    };
  }

  texts({ bytes, offsets }: TextColumn): TextColumn {
    return { bytes: this.handOver(bytes), offsets: offsets.slice() };
  }
}

/** What a batch is in the writer's thread. */
export interface OpenedBatch extends Omit<CommitBatch, 'documents'> {
  documents: { record: DocumentRecord; vectors: EmbeddingMatrix }[];
}

/** The other side of `packBatch`. */
export function openBatch(batch: CommitBatch, dims: number): OpenedBatch {
  const documents = batch.documents.map(({ record, vectors }) => {
    if (!isSealed(record)) return { record, vectors };
    const opened = unsealRecord(record);
    checkShape(opened, vectors, dims);
    return { record: opened, vectors };
  });
  return { ...batch, documents };
}

/** @throws SLUICE_EMBEDDING_INVALID for vectors that do not fit; SLUICE_INTERNAL for columns that disagree */
function checkShape(record: DocumentRecord, vectors: EmbeddingMatrix, dims: number): void {
  const count = record.chunks.start.length;
  checkVectors(record.id, count, vectors, dims);
  const { start: _start, embeddingText: _text, ...columns } = record.chunks;
  for (const [name, column] of Object.entries(columns)) {
    if (column.length !== count) throw unequal(record.id, name, count, column.length);
  }
  const keywordRows = textCount(record.keywordText);
  if (keywordRows !== count) throw unequal(record.id, 'keywordText', count, keywordRows);
  const hashes = record.embeddingHashes && record.embeddingHashes.length / EMBEDDING_HASH_BYTES;
  if (hashes !== null && hashes !== count) throw unequal(record.id, 'embeddingHashes', count, hashes);
}

function checkVectors(id: string, count: number, vectors: EmbeddingMatrix, dims: number): void {
  const wrong = (what: string, expected: number, actual: number) =>
    new SluiceError('SLUICE_EMBEDDING_INVALID', `'${id}' has ${actual} ${what}, expected ${expected}`, {
      details: { id, expected, actual },
    });
  if (vectors.rows !== count) throw wrong('vectors', count, vectors.rows);
  if (vectors.dims !== dims && count > 0) throw wrong('dimensions', dims, vectors.dims);
  if (vectors.data.length !== count * dims)
    throw wrong('vector components', count * dims, vectors.data.length);
}

function unequal(id: string, column: string, expected: number, actual: number): SluiceError {
  return new SluiceError(
    'SLUICE_INTERNAL',
    `'${id}': column ${column} has ${actual} rows, expected ${expected}`,
  );
}
