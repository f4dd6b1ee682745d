import type { ErrorRecord } from '../errors.js';
import { EMBEDDING_HASH_BYTES } from '../model/document-record.js';
import type { Embedder, EmbeddingMatrix } from '../model/embedder.js';
import type { SealedRecord } from '../model/sealed-record.js';
import type { StoreWriter } from '../model/store.js';
import { textCount } from '../model/text-column.js';
import { type EmbeddingRows, embedRows } from './embed-rows.js';
import type { Ledger } from './ledger.js';
import type { PreparedBatch } from './prepare-task.js';
import { VectorsUnderWay } from './vectors-under-way.js';

export interface EmbeddedDocument {
  record: SealedRecord;
  vectors: EmbeddingMatrix;
}

export interface EmbeddedDocuments {
  embedded: EmbeddedDocument[];
  /** Documents with a text that the embedder refused. */
  failed: { record: SealedRecord; error: ErrorRecord }[];
  /** Documents that an abort left without some of their vectors. */
  dropped: SealedRecord[];
}

type BatchToEmbed = Pick<PreparedBatch, 'documents' | 'texts' | 'embeddingHashes'>;

/** A document whose vectors are those of an equal one: from its first row on, once they are there. */
interface Follower {
  record: SealedRecord;
  from: number;
  vectors: Promise<Float32Array | undefined>;
}

/**
 * Gives documents their vectors. Only texts that the embedder never read go to it: the others have their vectors from
 * the index, or from an equal document that is under way.
 */
export class DocumentEmbedder {
  readonly #writer: StoreWriter;
  readonly #embedder: Embedder;
  readonly #ledger: Ledger;
  readonly #signal: AbortSignal | undefined;
  readonly #underWay = new VectorsUnderWay();

  constructor(
    { writer, embedder }: { writer: StoreWriter; embedder: Embedder },
    ledger: Ledger,
    signal?: AbortSignal,
  ) {
    this.#writer = writer;
    this.#embedder = embedder;
    this.#ledger = ledger;
    this.#signal = signal;
  }

  /**
   * Many documents to a call. A text that the embedder refuses fails its own document only; the others go on. After an
   * abort, documents that are complete by then still count.
   */
  async embed(batch: BatchToEmbed): Promise<EmbeddedDocuments> {
    const { documents } = batch;
    if (documents.length === 0) return { embedded: [], failed: [], dropped: [] };
    // Before anything is awaited: what leaves `#underWay` after this is found by the question to the writer.
    const followers = this.#followers(batch);
    const following = new Set(followers.map(({ record }) => record));
    try {
      const rows = await this.#known(batch, following);
      await this.#embedUndecided(rows, undecidedRows(documents, following, rows.decided));
      const { dims } = this.#embedder.fingerprint;
      for (const { record, from, end } of spans(documents)) {
        if (!following.has(record) && succeeded(rows, from, end))
          this.#underWay.settle(record, rows.data.subarray(from * dims, end * dims));
      }
      this.#giveUp(documents, following);
      await this.#takeOver(followers, rows);
      return byDocument(documents, rows, dims);
    } finally {
      this.#giveUp(documents, following);
    }
  }

  /** Call when a document's commit was handed to the writer. */
  committing(record: SealedRecord): void {
    this.#underWay.release(record);
  }

  /** Followers must not wait for what will not come. */
  #giveUp(documents: SealedRecord[], following: ReadonlySet<SealedRecord>): void {
    for (const record of documents) if (!following.has(record)) this.#underWay.settle(record, undefined);
  }

  #followers({ documents, embeddingHashes }: BatchToEmbed): Follower[] {
    const followers: Follower[] = [];
    for (const { record, from, end } of spans(documents)) {
      const hashes = embeddingHashes.subarray(from * EMBEDDING_HASH_BYTES, end * EMBEDDING_HASH_BYTES);
      let resolve: (vectors: Float32Array | undefined) => void;
      const vectors = new Promise<Float32Array | undefined>((done) => {
        resolve = done;
      });
      // Copied at once: the commit of the document that they belong to takes the buffer away.
      if (this.#underWay.follow(record, hashes, (found) => resolve(found?.slice())))
        followers.push({ record, from, vectors });
    }
    return followers;
  }

  async #known(
    { documents, texts, embeddingHashes }: BatchToEmbed,
    following: ReadonlySet<SealedRecord>,
  ): Promise<EmbeddingRows> {
    const found = await this.#writer.knownVectors({
      ids: documents.map(({ id }) => id),
      textHashes: Float64Array.from(documents, ({ textHash }) => textHash),
      rows: Uint32Array.from(documents, ({ rows }) => rows),
      wanted: Uint8Array.from(documents, (record) => (following.has(record) ? 0 : 1)),
      embeddingHashes,
    });
    this.#ledger.add({ chunksReused: found.count });
    const data = found.data ?? new Float32Array(textCount(texts) * this.#embedder.fingerprint.dims);
    return { texts, data, decided: found.known, failures: new Map() };
  }

  #embedUndecided(rows: EmbeddingRows, undecided: Uint32Array): Promise<void> {
    return embedRows(rows, undecided, this.#embedder, this.#ledger, this.#signal);
  }

  /** Followers get their leader's vectors; one whose leader got none is embedded by itself. */
  async #takeOver(followers: readonly Follower[], rows: EmbeddingRows): Promise<void> {
    const { dims } = this.#embedder.fingerprint;
    for (const { record, from, vectors } of followers) {
      const found = await vectors;
      if (found === undefined) {
        const own = Uint32Array.from({ length: record.rows }, (_, row) => from + row);
        await this.#embedUndecided(rows, own);
        continue;
      }
      rows.data.set(found, from * dims);
      rows.decided.fill(1, from, from + record.rows);
      this.#ledger.add({ chunksReused: record.rows });
    }
  }
}

interface Span {
  record: SealedRecord;
  from: number;
  end: number;
}

/** The rows of each document in its batch. */
function* spans(documents: readonly SealedRecord[]): Generator<Span, void, undefined> {
  let from = 0;
  for (const record of documents) {
    yield { record, from, end: from + record.rows };
    from += record.rows;
  }
}

function undecidedRows(
  documents: readonly SealedRecord[],
  following: ReadonlySet<SealedRecord>,
  decided: Uint8Array,
): Uint32Array {
  const undecided = new Uint32Array(decided.length);
  let count = 0;
  for (const { record, from, end } of spans(documents)) {
    if (following.has(record)) continue;
    for (let row = from; row < end; row++) if (decided[row] === 0) undecided[count++] = row;
  }
  return undecided.subarray(0, count);
}

function succeeded({ decided, failures }: EmbeddingRows, from: number, end: number): boolean {
  return !decided.subarray(from, end).includes(0) && failureIn(failures, from, end) === undefined;
}

function byDocument(
  documents: readonly SealedRecord[],
  { data, decided, failures }: EmbeddingRows,
  dims: number,
): EmbeddedDocuments {
  const result: EmbeddedDocuments = { embedded: [], failed: [], dropped: [] };
  for (const { record, from, end } of spans(documents)) {
    const { rows } = record;
    const error = failureIn(failures, from, end);
    if (decided.subarray(from, end).includes(0)) result.dropped.push(record);
    else if (error) result.failed.push({ record, error });
    else
      result.embedded.push({ record, vectors: { rows, dims, data: ownRows(data, from * dims, end * dims) } });
  }
  return result;
}

function failureIn(failures: Map<number, ErrorRecord>, from: number, to: number): ErrorRecord | undefined {
  for (let row = from; row < to && failures.size > 0; row++) {
    const error = failures.get(row);
    if (error) return error;
  }
  return undefined;
}

/** In a buffer of its own; a document that is alone keeps the buffer that it has, which may be large. */
function ownRows(data: Float32Array, from: number, to: number): Float32Array {
  return from === 0 && to === data.length ? data : data.slice(from, to);
}
