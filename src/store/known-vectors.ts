import { EMBEDDING_HASH_BYTES } from '../model/document-record.js';
import type { KnownVectors, KnownVectorsQuery } from '../model/store.js';
import { vectorChecksum } from './checksums.js';
import type { Connection } from './schema.js';

/**
 * Chunks that are looked at for one document: so many for each of its own, and so many in any case. A text that lies
 * in the index ten thousand times would otherwise be read ten thousand times for each new copy.
 */
const LOOKS_PER_ROW = 4;
const LEAST_LOOKS = 4_096;
/** Bodies of one id, or of one text, that are looked at. */
const MOST_BODIES = 64;

const HALF_BYTES = 2;
const FLOAT_BYTES = 4;

/** Finds vectors by what the embedder read: see `StoreWriter.knownVectors`. */
export class VectorMemory {
  readonly #dims: number;
  readonly #statements;

  constructor(db: Connection, dims: number) {
    this.#dims = dims;
    this.#statements = prepareStatements(db);
  }

  find({ ids, textHashes, rows, wanted, embeddingHashes }: KnownVectorsQuery): KnownVectors {
    const found = new FoundRows(embeddingHashes.length / EMBEDDING_HASH_BYTES, this.#dims);
    let from = 0;
    ids.forEach((id, i) => {
      const end = from + rows[i]!;
      const hashes = embeddingHashes.subarray(from * EMBEDDING_HASH_BYTES, end * EMBEDDING_HASH_BYTES);
      if (wanted[i] === 1) this.#findRows({ id, textHash: textHashes[i]! }, hashes, from, found);
      from = end;
    });
    return { known: found.known, count: found.count, data: found.data };
  }

  #findRows(
    document: { id: string; textHash: number },
    hashes: Uint8Array,
    from: number,
    found: FoundRows,
  ): void {
    let wanted: Map<string, number[]> | undefined;
    let looks = Math.max(LEAST_LOOKS, (hashes.length / EMBEDDING_HASH_BYTES) * LOOKS_PER_ROW);
    for (const body of this.#statements.bodies.all(document)) {
      wanted ??= rowsByHash(hashes, from);
      for (const { label, hash } of this.#statements.chunks.iterate(body)) {
        const key = hash.toString('latin1');
        const matching = wanted.get(key);
        if (matching && this.#take(label, matching, found)) wanted.delete(key);
        if (wanted.size === 0 || --looks <= 0) return;
      }
    }
  }

  /** False for a vector that is damaged, or of other dimensions: it is embedded again. */
  #take(label: number, rows: readonly number[], found: FoundRows): boolean {
    const row = this.#statements.vector.get(label);
    if (row === undefined || vectorChecksum(row.data) !== row.checksum) return false;
    const vector = decodeVector(row.data, this.#dims);
    if (vector === undefined) return false;
    for (const at of rows) found.set(at, vector);
    return true;
  }
}

/** Rows as they are found; the matrix is made with the first, because most documents are new. */
class FoundRows {
  readonly known: Uint8Array;
  readonly #dims: number;
  data: Float32Array | null = null;
  count = 0;

  constructor(rows: number, dims: number) {
    this.known = new Uint8Array(rows);
    this.#dims = dims;
  }

  set(row: number, vector: Float32Array): void {
    this.data ??= new Float32Array(this.known.length * this.#dims);
    this.data.set(vector, row * this.#dims);
    this.known[row] = 1;
    this.count++;
  }
}

/** Rows by their embedding hash; equal chunks have equal ones. */
function rowsByHash(hashes: Uint8Array, from: number): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  for (let at = 0; at < bytes.length; at += EMBEDDING_HASH_BYTES) {
    const hash = bytes.toString('latin1', at, at + EMBEDDING_HASH_BYTES);
    const row = from + at / EMBEDDING_HASH_BYTES;
    const same = rows.get(hash);
    if (same) same.push(row);
    else rows.set(hash, [row]);
  }
  return rows;
}

/** A stored vector, float32 or float16, little-endian; undefined for any other length. */
function decodeVector(data: Buffer, dims: number): Float32Array | undefined {
  const vector = new Float32Array(dims);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length === dims * FLOAT_BYTES) {
    for (let i = 0; i < dims; i++) vector[i] = view.getFloat32(i * FLOAT_BYTES, true);
  } else if (data.length === dims * HALF_BYTES) {
    for (let i = 0; i < dims; i++) vector[i] = halfToFloat(view.getUint16(i * HALF_BYTES, true));
  } else return undefined;
  return vector;
}

function halfToFloat(word: number): number {
  const sign = word & 0x8000 ? -1 : 1;
  const exponent = (word >> 10) & 0x1f;
  const fraction = word & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function prepareStatements(db: Connection) {
  return {
    // The newest first: what was edited last is nearest to what comes now.
    bodies: db
      .prepare<[{ id: string; textHash: number }], number>(
        `SELECT body FROM (SELECT body FROM documents WHERE id = @id ORDER BY key DESC LIMIT ${MOST_BODIES})
         UNION
         SELECT key FROM (SELECT key FROM bodies WHERE text_hash = @textHash ORDER BY key DESC LIMIT ${MOST_BODIES})
         ORDER BY 1 DESC`,
      )
      .pluck(),
    chunks: db.prepare<[number], { label: number; hash: Buffer }>(
      'SELECT label, embedding_hash AS hash FROM chunks WHERE body = ? AND embedding_hash IS NOT NULL',
    ),
    vector: db.prepare<[number], { data: Buffer; checksum: number }>(
      'SELECT data, checksum FROM vectors WHERE label = ?',
    ),
  };
}
