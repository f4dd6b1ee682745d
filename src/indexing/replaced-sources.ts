import type { StoreWriter } from '../model/store.js';
import type { Ledger } from './ledger.js';
import type { PreparedBatch } from './prepare-task.js';
import { removeDocuments } from './removals.js';

/**
 * A JSONL file that changed may have lost records: their documents must go. Remembers which ids a file that was
 * indexed before still holds, and removes the others when its last block is through. A file that is new costs
 * nothing, so a first run's memory does not grow with the corpus.
 */
export class ReplacedSources {
  readonly #writer: StoreWriter;
  readonly #ledger: Ledger;
  readonly #before = new Map<string, Set<string>>();

  constructor(writer: StoreWriter, ledger: Ledger) {
    this.#writer = writer;
    this.#ledger = ledger;
  }

  /** Call with every prepared batch, in order. */
  async note(batch: PreparedBatch): Promise<void> {
    // A file that is one document replaces itself; only files of many records can lose some.
    const records = batch.documents.filter((document) => document.source !== document.id);
    for (const source of new Set(records.map((document) => document.source))) {
      if (!this.#before.has(source)) {
        this.#before.set(source, new Set(await this.#writer.documentsOf(source)));
      }
    }
    for (const { id, source } of records) this.#before.get(source)?.delete(id);
    for (const { file, error } of batch.files) {
      const gone = this.#before.get(file.source);
      this.#before.delete(file.source);
      // A file that cannot be read now keeps its old documents: the next run tries again.
      if (error !== null || gone === undefined || gone.size === 0) continue;
      await removeDocuments([...gone], this.#writer, this.#ledger);
    }
  }
}
