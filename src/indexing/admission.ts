import type { ErrorRecord } from '../errors.js';
import { EMBEDDING_HASH_BYTES } from '../model/document-record.js';
import type { SealedRecord } from '../model/sealed-record.js';
import type { SourceState, StoreWriter } from '../model/store.js';
import { joinTexts, sliceTexts, type TextColumn } from '../model/text-column.js';
import type { Ledger } from './ledger.js';
import type { PreparedBatch } from './prepare-task.js';
import type { SourceTrouble } from './source-trouble.js';

/**
 * Decides which prepared documents go on to the embedder: not those that are in already with the same content, and
 * not a second one with an id that another document of this run or another source holds.
 */
export class Admission {
  readonly #writer: StoreWriter;
  readonly #ledger: Ledger;
  /** Ids admitted but not committed yet; bounded by the depth of the pipeline. */
  readonly #underWay = new Map<string, string>();
  /** Ids of the documents in hand that came in this run. */
  readonly #given = new Set<string>();
  readonly #startGeneration: number;
  readonly #trouble: SourceTrouble;

  constructor(writer: StoreWriter, ledger: Ledger, trouble: SourceTrouble, startGeneration: number) {
    this.#writer = writer;
    this.#ledger = ledger;
    this.#trouble = trouble;
    this.#startGeneration = startGeneration;
  }

  /**
   * The batch with only the documents that must be embedded.
   * @param repeated documents whose id came in their own file already
   */
  async admit(batch: PreparedBatch, repeated: ReadonlySet<SealedRecord>): Promise<PreparedBatch> {
    if (batch.documents.length === 0) return batch;
    const whole = batch.documents.filter((document) => document.source === document.id);
    const [unchanged, owners, states] = await Promise.all([
      this.#writer.unchanged(batch.documents.map(({ id, contentHash }) => ({ id, contentHash }))),
      this.#writer.owners(batch.documents.map((document) => document.id)),
      this.#writer.sourceStates(whole.map((document) => document.source)),
    ]);
    const files = new Set(batch.files.map(({ file }) => file.source));
    const documents = batch.documents.filter((document, i) => {
      const owner = owners.get(document.id);
      const isGiven = batch.recordsOf === null && !files.has(document.id);
      // A file's document and one that a caller gave have the same form of source; only the file has a state.
      const ownKind = batch.recordsOf !== null || isGiven !== holdsFile(states.get(document.id));
      const holder = repeated.has(document)
        ? document.source
        : owner && !ownKind
          ? otherKind(isGiven)
          : this.#holder(document, owner, isGiven);
      if (isGiven) this.#given.add(document.id);
      if (holder !== undefined) {
        this.#refuse(document, holder);
        return false;
      }
      if (unchanged[i]) {
        this.#ledger.add({ documentsUnchanged: 1 });
        return false;
      }
      this.#underWay.set(document.id, document.source);
      return true;
    });
    return documents.length === batch.documents.length
      ? batch
      : { ...batch, documents, ...rowsOf(batch, new Set(documents)) };
  }

  /** Call when a document is committed or given up. */
  release(documentId: string): void {
    this.#underWay.delete(documentId);
  }

  /** The source that holds the id against this document, or undefined if the id is free or its own. */
  #holder(
    document: SealedRecord,
    owner: { source: string; generation: number } | undefined,
    isGiven: boolean,
  ): string | undefined {
    const underWay = this.#underWay.get(document.id);
    if (underWay !== undefined) return underWay;
    if (isGiven && this.#given.has(document.id)) return 'another document of this run';
    if (owner === undefined) return undefined;
    if (owner.source !== document.source) return owner.source;
    // Same source, but committed in this very run: two records of one file share the id. Documents that a caller
    // adds are their own source and may be given again.
    const fromFile = document.source !== document.id;
    return fromFile && owner.generation > this.#startGeneration ? owner.source : undefined;
  }

  #refuse(document: SealedRecord, holder: string): void {
    const error: ErrorRecord = {
      code: 'SLUICE_DUPLICATE_ID',
      message: `document id "${document.id}" from ${document.source} is already taken by ${holder}; give one of them another id`,
      details: { id: document.id, source: document.source, holder },
    };
    const own = document.source === document.id;
    this.#ledger.skip({ source: own ? document.id : `${document.source} (id ${document.id})`, error });
    this.#trouble.note(document.source, error);
  }
}

function otherKind(isGiven: boolean): string {
  return isGiven ? 'a file' : 'a document that was added by hand';
}

/** Whether the document of this id is a file's: a file that was refused for its id has a state too. */
function holdsFile(state: SourceState | undefined): boolean {
  return state !== undefined && state.error?.code !== 'SLUICE_DUPLICATE_ID';
}

/** The rows of the documents that stay. */
function rowsOf(
  { documents, texts, embeddingHashes }: PreparedBatch,
  stay: ReadonlySet<SealedRecord>,
): Pick<PreparedBatch, 'texts' | 'embeddingHashes'> {
  const parts: TextColumn[] = [];
  const hashes = new Uint8Array(embeddingHashes.length);
  let row = 0;
  let at = 0;
  for (const document of documents) {
    const end = row + document.rows;
    if (stay.has(document)) {
      parts.push(sliceTexts(texts, row, end));
      hashes.set(embeddingHashes.subarray(row * EMBEDDING_HASH_BYTES, end * EMBEDDING_HASH_BYTES), at);
      at += document.rows * EMBEDDING_HASH_BYTES;
    }
    row = end;
  }
  return { texts: joinTexts(parts), embeddingHashes: hashes.slice(0, at) };
}
