import type { SealedRecord } from '../model/sealed-record.js';
import type { SourceState, StoreWriter } from '../model/store.js';
import type { EmbeddedDocument } from './embed-documents.js';
import type { Ledger } from './ledger.js';

/** A commit costs an fsync: many small documents share one, and no document waits longer than this. */
const COMMIT_CHUNKS = 512;
/** Handing over more documents at once would hold the main thread for milliseconds. */
const COMMIT_DOCUMENTS = 256;
const COMMIT_TEXT_BYTES = 8 * 1024 * 1024;
const COMMIT_AGE_MS = 2_000;

interface Pending {
  documents: EmbeddedDocument[];
  sources: SourceState[];
}

export interface CommitItem {
  documents: EmbeddedDocument[];
  sources: SourceState[];
  bytes: number;
}

export interface CommitObserver {
  /** Told of every document whose commit the writer has taken up. */
  committing(record: SealedRecord): void;
  /** Told of every document id that became durable. */
  committed(documentId: string): void;
}

/** Gathers embedded documents into commits. One commit is under way while the next one fills. */
export class Committer {
  readonly #writer: StoreWriter;
  readonly #ledger: Ledger;
  readonly #observer: CommitObserver;
  #batch: Pending = emptyBatch();
  #chunks = 0;
  #textBytes = 0;
  #bytes = 0;
  #since = performance.now();
  #underWay: Promise<void> = Promise.resolve();

  constructor(writer: StoreWriter, ledger: Ledger, observer: CommitObserver) {
    this.#writer = writer;
    this.#ledger = ledger;
    this.#observer = observer;
  }

  async push(item: CommitItem): Promise<void> {
    for (const document of item.documents) {
      this.#batch.documents.push(document);
      this.#chunks += document.vectors.rows;
      this.#textBytes += document.record.textBytes;
    }
    this.#batch.sources.push(...item.sources);
    this.#bytes += item.bytes;
    const old = performance.now() - this.#since > COMMIT_AGE_MS;
    const full =
      this.#chunks >= COMMIT_CHUNKS ||
      this.#batch.documents.length >= COMMIT_DOCUMENTS ||
      this.#textBytes >= COMMIT_TEXT_BYTES;
    if (full || old) await this.#start();
  }

  /** Commits what is left and waits until everything is durable. */
  async flush(): Promise<void> {
    await this.#start();
    await this.#underWay;
  }

  async #start(): Promise<void> {
    await this.#underWay;
    const batch = this.#batch;
    const bytes = this.#bytes;
    this.#batch = emptyBatch();
    this.#chunks = this.#textBytes = this.#bytes = 0;
    this.#since = performance.now();
    if (batch.documents.length === 0 && batch.sources.length === 0) return;
    this.#underWay = this.#commit(batch, bytes);
    // A failure is thrown by the next call that awaits it.
    this.#underWay.catch(() => {});
  }

  async #commit(batch: Pending, bytes: number): Promise<void> {
    const ids = batch.documents.map(({ record }) => record.id);
    // A file of records with some bad ones among them was read: the records are listed one by one.
    const done = batch.sources.filter((source) => source.status !== 'failed').length;
    const started = performance.now();
    const commit = this.#writer.commit({ ...batch, removeDocuments: [] });
    for (const { record } of batch.documents) this.#observer.committing(record);
    const result = await commit;
    this.#ledger.spend({ store: performance.now() - started });
    this.#ledger.add({
      documents: ids.length,
      chunks: result.addedChunks,
      overLimitChunks: batch.documents.reduce((sum, { record }) => sum + record.overLimit, 0),
      filesDone: done,
      filesFailed: batch.sources.length - done,
      bytesDone: bytes,
    });
    for (const id of ids) this.#observer.committed(id);
  }
}

function emptyBatch(): Pending {
  return { documents: [], sources: [] };
}
