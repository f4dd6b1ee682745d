import { AddRun } from './add-run.js';
import {
  type RemoveResult,
  removeDocuments,
  type UpdateResult,
  updateDocuments,
} from './document-changes.js';
import {
  checkNames,
  type DocumentList,
  documentIfAllowed,
  type FacetOptions,
  facetsOf,
  type ListOptions,
  listDocuments,
  type ScannedDocument,
  type ScanOptions,
  scanDocuments,
  whichAllowed,
} from './document-lists.js';
import { type DocumentSelection, idList } from './document-selection.js';
import {
  type AddOptions,
  type AddSource,
  checkAddOptions,
  startIndexing,
  type WatchOptions,
  type WatchRun,
  watchSources,
} from './indexing/index.js';
import type { LiveIndex } from './live-index.js';
import type { MetadataPatch } from './metadata-patch.js';
import type { Filter } from './model/filter.js';
import type { Passport } from './model/passport.js';
import type { DocumentCounts, FacetValue, StoredDocument, StoreStats } from './model/store.js';
import { checkReembedOptions, type ReembedOptions, ReembedRun, startReembedding } from './reembed-run.js';
import type { SearchOptions, SearchResult } from './retrieval/index.js';
import { searchSnapshot, warmModels } from './search-snapshot.js';
import {
  type BackupReport,
  type BuildOptions,
  backupIndex,
  type CompactReport,
  type OnProgress,
} from './store/index.js';

export interface IndexStats extends StoreStats {
  passport: Passport;
}

/**
 * An open index. Searches may run side by side and while documents are added. A call sees all that was published when
 * it was made, by this process or another. Everything that takes time happens in worker threads. Get one from
 * `openIndex`, and close it.
 */
export class SluiceIndex {
  readonly #live: LiveIndex;

  constructor(live: LiveIndex) {
    this.#live = live;
  }

  /** The parts of an index, for what reads several of them. @internal */
  static partsOf(index: SluiceIndex): LiveIndex {
    return index.#live;
  }

  /** Whether a value is an open or closed index of this copy of the package. */
  static is(value: unknown): value is SluiceIndex {
    return typeof value === 'object' && value !== null && #live in value;
  }

  /** As it was given to `openIndex`. */
  get folder(): string {
    return this.#live.folder;
  }

  /** What the index was made with. Another one after `reembed`. */
  get passport(): Passport {
    return this.#live.passport;
  }

  /**
   * Adds files, folders and documents in hand. What is in already and unchanged costs a stat; a changed document
   * replaces its old version; what vanished below a folder is removed. A bad file is skipped, counted and listed.
   * Await the run for its report, or iterate over its progress.
   * @throws (on the run) SLUICE_NOT_FOUND, SLUICE_NO_DOCUMENTS, SLUICE_INDEX_LOCKED, SLUICE_ABORTED with
   *   `details.report`, SLUICE_PASSPORT_MISMATCH
   */
  add(sources: AddSource | AddSource[], options: AddOptions = {}): AddRun {
    try {
      const list = Array.isArray(sources) ? sources : [sources];
      const given = checkAddOptions(options);
      const live = this.#live;
      const run = live.exclusive(
        async () => {
          const parts = {
            writer: await live.writer(),
            embedder: await live.models.embedder('bulk'),
            prepare: await live.preparePool(),
          };
          return startIndexing(parts, list, { ...given, signal: live.stopSignal(given.signal) });
        },
        ({ report }) => report,
      );
      return new AddRun(run);
    } catch (error) {
      return new AddRun(Promise.reject(error));
    }
  }

  /**
   * Removes documents: those with these ids (those that do not exist come back as `unknown`), or all that pass a
   * filter. Every document goes only with `{ all: true }`. A file that is still there comes back with the next `add` of
   * its folder.
   *
   *     await index.remove({ filter: { project: 'closed' } });
   *
   * @throws SLUICE_USAGE for a filter that lets everything pass without `all`; SLUICE_FILTER_INVALID,
   *   SLUICE_FILTER_UNKNOWN_FIELD, SLUICE_INDEX_LOCKED
   */
  remove(documents: DocumentSelection): Promise<RemoveResult> {
    return removeDocuments(this.#live, documents);
  }

  /**
   * Adds files and folders, and again after each change below them, until the signal fires, the loop over it is left or
   * the index is closed. The options are those of `add`, with `debounceMs` (default 300). A run that fails is told
   * as such, and the next change tries again.
   *
   *     for await (const { report, error } of index.watch('docs/')) console.log(report?.documents, error?.message);
   *
   * @throws SLUICE_USAGE, and whatever the first run throws, except SLUICE_NO_DOCUMENTS
   */
  watch(
    paths: string | string[],
    options: WatchOptions<AddRun> = {},
  ): AsyncGenerator<WatchRun, void, undefined> {
    const list = Array.isArray(paths) ? paths : [paths];
    return watchSources(list, options, (some, how) => this.add(some, how), this.#live.stopSignal(undefined));
  }

  /**
   * Changes the metadata of documents, selected as for `remove`, without embedding anything. What a patch can say is
   * told at MetadataPatch. Happens in portions: when it fails, those before stay changed. When a document's source
   * changes and is indexed again, the document gets the metadata of its source and the patch is gone.
   *
   *     await index.update({ filter: { status: 'draft' } }, { set: { status: 'final' }, unset: ['reviewer'] });
   *
   * @throws SLUICE_USAGE for a patch that is no patch, and for a field inside something that is no object; otherwise
   *   as `remove`
   */
  update(documents: DocumentSelection, patch: MetadataPatch): Promise<UpdateResult> {
    return updateDocuments(this.#live, documents, patch);
  }

  /**
   * Finds the k best passages (default 5): filter, keyword leg and vector leg, fusion, reranking, cut.
   * @throws SLUICE_USAGE, SLUICE_FILTER_INVALID, SLUICE_FILTER_UNKNOWN_FIELD, SLUICE_ABORTED
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const live = this.#live;
    await warmModels(live, query, options);
    return live.read((snapshot) => searchSnapshot(live, snapshot, query, options));
  }

  /** A document with its text and chunks; undefined where it does not exist or the filter forbids it. */
  async get(id: string, options: { filter?: Filter | undefined } = {}): Promise<StoredDocument | undefined> {
    checkNames('get', options, ['filter']);
    const [only] = idList(id, 'get');
    return this.#live.read((snapshot) => documentIfAllowed(snapshot, only!, options.filter));
  }

  /** Which of these document ids the index holds, and the filter allows; same order. */
  async has(ids: string[], options: { filter?: Filter | undefined } = {}): Promise<boolean[]> {
    checkNames('has', options, ['filter']);
    const list = idList(ids, 'has');
    return this.#live.read((snapshot) => whichAllowed(snapshot, list, options.filter));
  }

  /** How many documents and chunks the index holds, and the filter allows. */
  async count(options: { filter?: Filter | undefined } = {}): Promise<DocumentCounts> {
    checkNames('count', options, ['filter']);
    return this.#live.read(({ reader }) => reader.count(options.filter));
  }

  /**
   * A page of documents, without their texts. What exists all the time is on exactly one page, whatever is added,
   * changed or removed between two pages.
   *
   *     let cursor;
   *     do {
   *       const page = await index.list({ filter: { lang: 'en' }, cursor });
   *       for (const { id, title } of page.documents) console.log(id, title);
   *       cursor = page.cursor;
   *     } while (cursor !== undefined);
   *
   * @throws SLUICE_USAGE for a cursor that no list has given
   */
  async list(options: ListOptions = {}): Promise<DocumentList> {
    return listDocuments(this.#live, options);
  }

  /**
   * All documents, one after another and with as much of them as you ask for. Holds one page and one document in
   * memory, however large the index is, and may be left at any time.
   *
   *     for await (const { id, text } of index.scan({ text: true })) console.log(id, text.length);
   */
  scan(options: ScanOptions = {}): AsyncGenerator<ScannedDocument, void, undefined> {
    return scanDocuments(this.#live, options);
  }

  /**
   * The most frequent values of a metadata field (or of $source, $format, $title), with the number of documents and
   * chunks that have them. Each element of an array counts; null counts, a missing field does not.
   * @throws SLUICE_FILTER_UNKNOWN_FIELD for a field that no document has
   */
  async facets(field: string, options: FacetOptions = {}): Promise<FacetValue[]> {
    return facetsOf(this.#live, field, options);
  }

  /**
   * Changes the embedding model: makes new vectors for all chunks as they are, in the background, and moves over to
   * them when all are there. Searches go on with the old vectors until then; other writing calls wait. It takes about
   * as long as indexing did. Interrupted or killed, a second call with the same model goes on; one with another model
   * begins anew. With the model that the index has already, nothing is done, and the report says so.
   * Other processes that have the index open get SLUICE_PASSPORT_MISMATCH afterwards and must open it again.
   *
   *     const report = await index.reembed({ model: './models/bge-small-en' });
   *
   * @throws (on the run) SLUICE_USAGE, SLUICE_MODEL_INVALID, SLUICE_MODEL_FAILED, SLUICE_EMBEDDING_INVALID,
   *   SLUICE_INDEX_LOCKED, SLUICE_ABORTED with `details.report`
   */
  reembed(options: ReembedOptions = {}): ReembedRun {
    try {
      checkReembedOptions(options);
      const live = this.#live;
      return new ReembedRun(
        live.exclusive(
          async () => startReembedding(live, options),
          ({ report }) => report,
        ),
      );
    } catch (error) {
      return new ReembedRun(Promise.reject(error));
    }
  }

  async stats(): Promise<IndexStats> {
    return this.#live.read(async ({ reader, passport }) => ({ ...(await reader.stats()), passport }));
  }

  /**
   * Erases what was removed or replaced from all files of the index, and builds its keyword index and graph anew; see
   * `compactIndex`. Searches go on meanwhile. Until it runs, replaced versions count a little in BM25 scores, and removed
   * text stays in the files.
   * @throws SLUICE_INDEX_LOCKED
   */
  compact(onProgress?: OnProgress): Promise<CompactReport> {
    const live = this.#live;
    return live.exclusive(async () => (await live.writer()).compact(onProgress));
  }

  /**
   * Copies the index into a new or empty folder while searches and indexing go on; see `backupIndex`.
   * @throws SLUICE_USAGE where the target holds something
   */
  async backup(target: string, options: BuildOptions = {}): Promise<BackupReport> {
    this.#live.refuseClosed();
    const { folder, options: how } = this.#live;
    const { graphThreshold } = how;
    return backupIndex(folder, target, {
      ...(graphThreshold !== undefined && { graphThreshold }),
      ...options,
    });
  }

  /** Stops running work at its next commit, then releases files, threads and models. Idempotent. */
  close(): Promise<void> {
    return this.#live.close();
  }
}
