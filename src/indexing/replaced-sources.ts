import { setImmediate as pause } from 'node:timers/promises';
import type { SealedRecord } from '../model/sealed-record.js';
import type { StoreWriter } from '../model/store.js';
import type { Ledger } from './ledger.js';
import type { PreparedBatch } from './prepare-task.js';
import { removeDocuments } from './removals.js';

/** Ids noted between two pauses: well under a millisecond of work. */
const IDS_PER_STEP = 1_000;

/** What an earlier run left of a file of records. */
interface Before {
  readonly ids: ReadonlySet<string>;
  /** Those that did not come again yet. */
  readonly missing: Set<string>;
}

/**
 * What changed files no longer hold must go: the records that a JSONL file lost, and the document of a file that is
 * empty now. A file that is new costs nothing, so a first run's memory does not grow with the corpus.
 */
export class ReplacedSources {
  readonly #writer: StoreWriter;
  readonly #ledger: Ledger;
  readonly #before = new Map<string, Before>();

  constructor(writer: StoreWriter, ledger: Ledger) {
    this.#writer = writer;
    this.#ledger = ledger;
  }

  /**
   * Call with every prepared batch, in order.
   * @returns documents whose id came in this file already: the first one counts
   */
  async note(batch: PreparedBatch): Promise<ReadonlySet<SealedRecord>> {
    const repeated = new Set<SealedRecord>();
    if (batch.recordsOf !== null) {
      const before = await this.#heldBy(batch.recordsOf);
      for (const document of batch.documents) {
        if (!before.missing.delete(document.id) && before.ids.has(document.id)) repeated.add(document);
      }
    }
    for (const { file, error } of batch.files) {
      const gone = this.#before.get(file.source)?.missing;
      this.#before.delete(file.source);
      if (error?.code === 'SLUICE_DOCUMENT_EMPTY')
        await this.#remove(await this.#writer.documentsOf(file.source));
      // A file that cannot be read now keeps its old documents: the next run tries again.
      else if (error === null && gone) await this.#remove([...gone]);
    }
    return repeated;
  }

  async #heldBy(source: string): Promise<Before> {
    const known = this.#before.get(source);
    if (known) return known;
    const before = { ids: new Set<string>(), missing: new Set<string>() };
    for (const id of await this.#writer.documentsOf(source)) {
      before.ids.add(id);
      before.missing.add(id);
      if (before.ids.size % IDS_PER_STEP === 0) await pause();
    }
    this.#before.set(source, before);
    return before;
  }

  async #remove(ids: string[]): Promise<void> {
    if (ids.length > 0) await removeDocuments(ids, this.#writer, this.#ledger);
  }
}
