import { deserialize, serialize } from 'node:v8';
import type { DocumentRecord } from './document-record.js';
import { textHash } from './text-hash.js';

/**
 * A document record as one run of bytes, with the little that threads in between need. A record has a dozen arrays
 * and may have thousands of strings: handing each over costs the main thread milliseconds a commit, one buffer nothing.
 */
export interface SealedRecord {
  readonly id: string;
  readonly source: string;
  readonly contentHash: string;
  /** Chunks. */
  readonly rows: number;
  /** Chunks that are over the limit. */
  readonly overLimit: number;
  /** Bytes of the document's text. */
  readonly textBytes: number;
  /** Equal for equal texts: see `textHash`. */
  readonly textHash: number;
  readonly bytes: Uint8Array;
}

/** Call it in the thread that made the record. The embedding text is left out: it goes to the embedder. */
export function sealRecord(record: DocumentRecord): SealedRecord {
  const { chunks, id, source, contentHash } = record;
  const bytes = serialize({ ...record, chunks: { ...chunks, embeddingText: null } });
  return {
    id,
    source,
    contentHash,
    rows: chunks.start.length,
    overLimit: chunks.overLimit.reduce((sum, flag) => sum + flag, 0),
    textBytes: record.text.byteLength,
    textHash: textHash(record.text),
    // In a buffer of its own, which may be transferred.
    bytes: new Uint8Array(bytes),
  };
}

/** The record again, in the thread that stores it; its embedding text is empty. */
export function unsealRecord(sealed: SealedRecord): DocumentRecord {
  const { buffer, byteOffset, byteLength } = sealed.bytes;
  const record = deserialize(Buffer.from(buffer, byteOffset, byteLength)) as DocumentRecord;
  return { ...record, chunks: { ...record.chunks, embeddingText: NO_TEXTS } };
}

export function isSealed(record: DocumentRecord | SealedRecord): record is SealedRecord {
  return 'bytes' in record;
}

const NO_TEXTS = { bytes: new Uint8Array(0), offsets: new Uint32Array(1) };
