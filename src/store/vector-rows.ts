import { vectorTrouble } from '../model/vector-length.js';
import type { LabelRange } from './commit.js';
import { type Connection, lastKeyUpTo } from './schema.js';
import { damagedRow } from './trouble.js';
import { decodeVector, isStoredVector } from './vector-codec.js';

const PAGE_DOCUMENTS = 500;

/** Rows of vectors on their way from SQLite into a graph or a flat scan. */
export interface VectorBatch {
  labels: Uint32Array;
  data: Float32Array;
}

/** Reads vectors in label order, in batches, so that memory stays flat. */
export class VectorRows {
  readonly #db: Connection;
  readonly #dims: number;
  readonly #table;
  readonly #range;
  readonly #some;

  /** @param table `vectors_next` while a re-embedding is under way */
  constructor(db: Connection, dims: number, table: 'vectors' | 'vectors_next' = 'vectors') {
    this.#db = db;
    this.#dims = dims;
    this.#table = table;
    this.#range = db.prepare<[number, number], { label: number; data: Buffer }>(
      `SELECT label, data FROM ${table} WHERE label >= ? AND label < ? ORDER BY label`,
    );
    // One statement for all labels of a shortlist: a call for each would cost more than reading them.
    this.#some = db.prepare<[string], { label: number; data: Buffer }>(
      `SELECT label, data FROM ${table} WHERE label IN (SELECT value FROM json_each(?))`,
    );
  }

  /**
   * Vectors of the bodies `d` with labels above `label` for which the SQL condition holds. No statement stays open
   * between batches.
   * @param condition constant text of ours, with named parameters
   */
  *ofDocuments(
    label: number,
    condition: string,
    parameters: Record<string, number>,
    rows: number,
  ): Generator<VectorBatch> {
    const batch = new BatchBuilder(rows, this.#dims);
    for (const { first, count } of this.#documents(label, condition, parameters)) {
      for (let from = first; from < first + count; from += rows) {
        const to = Math.min(from + rows, first + count);
        for (const { label, data } of this.#range.all(from, to)) {
          batch.add(label, data);
          if (batch.full) yield batch.take();
        }
      }
    }
    if (!batch.empty) yield batch.take();
  }

  /** Vectors by label, in ascending order; labels that have none are left out. For some hundred. */
  ofLabels(labels: Uint32Array): VectorBatch {
    const batch = new BatchBuilder(labels.length, this.#dims);
    for (const { label, data } of this.#some.all(`[${labels.join()}]`)) batch.add(label, data);
    return batch.take();
  }

  /**
   * What to throw where the addon refused a batch. It looks at every number for its own sake, and knows no labels: a row
   * that is no vector is named here, so that sound rows are looked at once only.
   */
  refused({ labels, data }: VectorBatch, error: unknown): unknown {
    for (let row = 0; row < labels.length; row++) {
      const trouble = vectorTrouble(data, row * this.#dims, this.#dims);
      if (trouble !== undefined) return damagedRow(`${this.#table}, row ${labels[row]}`, `it ${trouble}`);
    }
    return error;
  }

  *#documents(label: number, condition: string, parameters: Record<string, number>): Generator<LabelRange> {
    const page = this.#db.prepare<Record<string, number>, LabelRange & { key: number }>(
      `SELECT key, first_label AS first, chunk_count AS count FROM bodies d
       WHERE d.key > @after AND d.first_label > @label AND (${condition}) ORDER BY d.key LIMIT ${PAGE_DOCUMENTS}`,
    );
    for (let after = lastKeyUpTo(this.#db, label); ; ) {
      const documents = page.all({ ...parameters, label, after });
      yield* documents;
      if (documents.length < PAGE_DOCUMENTS) return;
      after = documents.at(-1)!.key;
    }
  }
}

class BatchBuilder {
  readonly #capacity: number;
  readonly #dims: number;
  #labels: Uint32Array;
  #data: Float32Array;
  #rows = 0;

  constructor(capacity: number, dims: number) {
    this.#capacity = capacity;
    this.#dims = dims;
    this.#labels = new Uint32Array(capacity);
    this.#data = new Float32Array(capacity * dims);
  }

  get full(): boolean {
    return this.#rows === this.#capacity;
  }

  get empty(): boolean {
    return this.#rows === 0;
  }

  add(label: number, vector: Buffer): void {
    if (!isStoredVector(vector, this.#dims))
      throw damagedRow(`vectors, row ${label}`, `it has ${vector.length} bytes for ${this.#dims} dimensions`);
    this.#labels[this.#rows] = label;
    decodeVector(vector, this.#dims, this.#data, this.#rows * this.#dims);
    this.#rows++;
  }

  /** The rows so far; valid until the next `add`. */
  take(): VectorBatch {
    const rows = this.#rows;
    this.#rows = 0;
    return { labels: this.#labels.subarray(0, rows), data: this.#data.subarray(0, rows * this.#dims) };
  }
}
