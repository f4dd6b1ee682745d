import { EMBEDDING_HASH_BYTES } from '../model/document-record.js';
import type { KnownVectors, KnownVectorsQuery } from '../model/store.js';
import { vectorChecksum } from './checksums.js';
import type { Connection } from './schema.js';
import { decodeVector, isStoredVector } from './vector-codec.js';

/**
 * Chunks that are looked at for one document: so many for each of its own, and so many in any case. A text that lies
 * in the index ten thousand times would otherwise be read ten thousand times for each new copy.
 */
const LOOKS_PER_ROW = 4;
const LEAST_LOOKS = 4_096;
/** Bodies of one id, or of one text, that are looked at. */
const MOST_BODIES = 64;

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

  /** False for a vector that is damaged: it is embedded again. */
  #take(label: number, rows: readonly number[], found: FoundRows): boolean {
    const row = this.#statements.vector.get(label);
    if (row === undefined || vectorChecksum(row.data) !== row.checksum) return false;
    if (!isStoredVector(row.data, this.#dims)) return false;
    const vector = new Float32Array(this.#dims);
    decodeVector(row.data, this.#dims, vector, 0);
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
