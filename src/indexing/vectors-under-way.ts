import type { SealedRecord } from '../model/sealed-record.js';

/** Told the vectors of an equal document, or that it got none. They are only lent: copy what is to stay. */
type Waiter = (vectors: Float32Array | undefined) => void;

interface Entry {
  readonly record: SealedRecord;
  readonly hashes: Uint8Array;
  vectors: Float32Array | undefined;
  readonly waiters: Waiter[];
}

/**
 * Documents that are being embedded or wait for their commit, so that an equal one next to them is not embedded a second
 * time: the index itself knows vectors from their commit on. Holds no more than the pipeline does.
 */
export class VectorsUnderWay {
  readonly #byText = new Map<number, Entry[]>();

  /**
   * If a document with the same embedding texts is under way: calls `waiter` with its vectors, now or once they are
   * there, and returns true. Otherwise this document leads, and must be settled: returns false.
   * @param hashes of its embedding texts
   */
  follow(record: SealedRecord, hashes: Uint8Array, waiter: Waiter): boolean {
    const entries = this.#byText.get(record.textHash) ?? [];
    const leader = entries.find((entry) => Buffer.compare(entry.hashes, hashes) === 0);
    if (leader === undefined) {
      this.#byText.set(record.textHash, [...entries, { record, hashes, vectors: undefined, waiters: [] }]);
      return false;
    }
    if (leader.vectors) waiter(leader.vectors);
    else leader.waiters.push(waiter);
    return true;
  }

  /** Call for each leader, whatever became of it; only the first call counts. */
  settle(record: SealedRecord, vectors: Float32Array | undefined): void {
    const entry = this.#byText.get(record.textHash)?.find((one) => one.record === record);
    if (entry === undefined || entry.vectors) return;
    entry.vectors = vectors;
    if (vectors === undefined) this.release(record);
    for (const waiter of entry.waiters.splice(0)) waiter(vectors);
  }

  /** Call when a document's commit is on its way: whoever asks the index after that finds its vectors there. */
  release(record: SealedRecord): void {
    const left = this.#byText.get(record.textHash)?.filter((entry) => entry.record !== record) ?? [];
    if (left.length > 0) this.#byText.set(record.textHash, left);
    else this.#byText.delete(record.textHash);
  }
}
