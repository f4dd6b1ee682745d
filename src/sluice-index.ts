import { AddRun } from './add-run.js';
import { SluiceError } from './errors.js';
import {
  type AddOptions,
  type AddSource,
  checkAddOptions,
  type PreparePool,
  startIndexing,
  startPreparePool,
} from './indexing/index.js';
import type { Passport } from './model/passport.js';
import type { Store, StoredDocument, StoreReader, StoreStats, StoreWriter } from './model/store.js';
import type { ModelsInUse } from './models-in-use.js';
import type { OpenIndexOptions } from './open-options.js';
import { type SearchOptions, type SearchResult, search, wantsRerank } from './retrieval/index.js';
import {
  type BackupReport,
  type BuildOptions,
  backupIndex,
  type CompactReport,
  comparePassports,
  Gate,
  type OnProgress,
} from './store/index.js';
import { holdsHan } from './tokens/index.js';

/** Another process's commits become visible after at most this long; one's own at once. */
const REFRESH_EVERY_MS = 500;

export interface IndexStats extends StoreStats {
  passport: Passport;
}

/**
 * An open index. Searches may run side by side and while documents are added; they see the last published state.
 * Everything that takes time happens in worker threads. Get one from `openIndex`, and close it.
 */
export class SluiceIndex {
  readonly #store: Store;
  readonly #models: ModelsInUse;
  readonly #options: OpenIndexOptions;
  #prepare: PreparePool | undefined;
  #reader: Promise<StoreReader> | undefined;
  #writer: Promise<StoreWriter> | undefined;
  #refreshedAt = 0;
  /** Searches run side by side, but never across a refresh. */
  readonly #gate = new Gate();
  /** Runs that write, one after another. */
  #writing: Promise<unknown> = Promise.resolve();
  readonly #running = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(store: Store, models: ModelsInUse, options: OpenIndexOptions, prepare?: PreparePool) {
    this.#store = store;
    this.#models = models;
    this.#options = options;
    this.#prepare = prepare;
  }

  get passport(): Passport {
    return this.#store.passport;
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
      return this.#startAdding(Array.isArray(sources) ? sources : [sources], checkAddOptions(options));
    } catch (error) {
      return new AddRun(Promise.reject(error));
    }
  }

  #startAdding(list: AddSource[], options: AddOptions): AddRun {
    const signal = options.signal
      ? AbortSignal.any([options.signal, this.#running.signal])
      : this.#running.signal;
    const run = this.#exclusive(async () => {
      const parts = {
        writer: await this.#openWriter(),
        embedder: await this.#models.embedder('bulk'),
        prepare: await this.#preparePool(),
      };
      return startIndexing(parts, list, { ...options, signal });
    });
    // The next writer waits for the end of this run, not only for its start.
    this.#writing = run.then(({ report }) => report).then(this.#published, this.#published);
    return new AddRun(run);
  }

  /** Removes documents by id. Ids that do not exist are ignored. Resolves to the number of chunks removed. */
  async remove(ids: string | string[]): Promise<{ removedChunks: number }> {
    const removeDocuments = idList(ids, 'remove');
    return this.#exclusive(async () => {
      const writer = await this.#openWriter();
      const { removedChunks } = await writer.commit({ documents: [], removeDocuments, sources: [] });
      await writer.publish();
      this.#published();
      return { removedChunks };
    });
  }

  /**
   * Finds the k best passages (default 5): filter, keyword leg and vector leg, fusion, reranking, cut.
   * @throws SLUICE_USAGE, SLUICE_FILTER_INVALID, SLUICE_FILTER_UNKNOWN_FIELD, SLUICE_ABORTED
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const wantsReranker = options?.rerank !== false;
    const [, reranker] = await Promise.all([
      this.#freshReader(),
      wantsReranker ? this.#models.lazyReranker() : undefined,
    ]);
    const embedder = this.#models.lazyEmbedder(this.passport);
    // Loading takes as long as the legs do, so both begin now. A failure is told where the model is used.
    if (typeof query === 'string' && wantsRerank(query, options?.rerank ?? 'auto', reranker)) {
      this.#models.warmReranker();
    }
    const segment = (text: string) => this.#segment(text);
    // One generation from its first step to its last: between two, a replaced document is in neither.
    return this.#onSnapshot((reader) => search({ reader, embedder, reranker, segment, query, options }));
  }

  /** A document with its text and chunks, or undefined. */
  async get(id: string): Promise<StoredDocument | undefined> {
    const [only] = idList(id, 'get');
    return this.#onSnapshot((reader) => reader.document(only!));
  }

  /** Which of these document ids the index holds; same order. */
  async has(ids: string[]): Promise<boolean[]> {
    const list = idList(ids, 'has');
    return this.#onSnapshot((reader) => reader.has(list));
  }

  async stats(): Promise<IndexStats> {
    const stats = await this.#onSnapshot((reader) => reader.stats());
    return { ...stats, passport: this.passport };
  }

  /**
   * Erases what was removed or replaced from all files of the index, and builds its keyword index and graph anew; see
   * `compactIndex`. Searches go on meanwhile. Until it runs, replaced versions count a little in BM25 scores, and removed
   * text stays in the files.
   * @throws SLUICE_INDEX_LOCKED
   */
  compact(onProgress?: OnProgress): Promise<CompactReport> {
    return this.#exclusive(async () => {
      const report = await (await this.#openWriter()).compact(onProgress);
      this.#published();
      return report;
    });
  }

  /**
   * Copies the index into a new or empty folder while searches and indexing go on; see `backupIndex`.
   * @throws SLUICE_USAGE where the target holds something
   */
  async backup(target: string, options: BuildOptions = {}): Promise<BackupReport> {
    this.#refuseClosed();
    const { graphThreshold } = this.#options;
    return backupIndex(this.#store.folder, target, {
      ...(graphThreshold !== undefined && { graphThreshold }),
      ...options,
    });
  }

  /** Stops running work at its next commit, then releases files, threads and models. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#running.abort();
    await this.#writing.catch(() => {});
    await Promise.allSettled([this.#reader, this.#writer]);
    await this.#store.close();
    await this.#prepare?.close();
    await this.#models.close();
  }

  /** One writing call after another; a failed one does not stop the next. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseClosed();
    const result = this.#writing.catch(() => {}).then(work);
    this.#writing = result.catch(() => {});
    return result;
  }

  async #openWriter(): Promise<StoreWriter> {
    this.#writer ??= this.#store.writer();
    try {
      return await this.#writer;
    } catch (error) {
      // Locked now need not be locked at the next try.
      this.#writer = undefined;
      throw error;
    }
  }

  async #freshReader(): Promise<StoreReader> {
    this.#refuseClosed();
    if (this.#reader === undefined) {
      this.#refreshedAt = performance.now();
      this.#reader = this.#store.reader();
      this.#reader.catch(() => {
        this.#reader = undefined;
      });
    }
    const reader = await this.#reader;
    if (performance.now() - this.#refreshedAt > REFRESH_EVERY_MS) {
      this.#refreshedAt = performance.now();
      await this.#gate.exclusive(() => reader.refresh());
    }
    return reader;
  }

  /** Where rows of the snapshot were purged meanwhile, once more on the newest. */
  async #onSnapshot<T>(use: (reader: StoreReader) => Promise<T>): Promise<T> {
    const reader = await this.#freshReader();
    try {
      return await this.#gate.shared(() => use(reader));
    } catch (error) {
      if (!SluiceError.is(error) || error.code !== 'SLUICE_SNAPSHOT_GONE') throw error;
      await this.#gate.exclusive(() => reader.refresh());
      return this.#gate.shared(() => use(reader));
    }
  }

  readonly #published = (): void => {
    this.#refreshedAt = 0;
  };

  /** jieba takes 200 ms to load, so queries with Han are cut in a worker; others need no cutting. */
  async #segment(query: string): Promise<string> {
    return typeof query === 'string' && holdsHan(query)
      ? (await this.#preparePool(false)).segment(query)
      : query;
  }

  /** @param checked whether it will cut documents: then it must cut as the index was cut */
  async #preparePool(checked = true): Promise<PreparePool> {
    const chunking = this.passport.settings?.chunking ?? this.#options.chunking ?? {};
    this.#prepare ??= startPreparePool(await this.#models.prepareSetup(chunking));
    if (checked)
      comparePassports(this.passport, { ...this.passport, ...(await this.#prepare.fingerprints()) });
    return this.#prepare;
  }

  #refuseClosed(): void {
    if (this.#closing) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index was closed');
  }
}

/** @throws SLUICE_USAGE for anything but a string or a list of strings */
function idList(ids: unknown, call: string): string[] {
  const list: unknown[] = Array.isArray(ids) ? ids : [ids];
  const wrong = list.find((id) => typeof id !== 'string');
  if (wrong === undefined && list.length === list.filter((id) => typeof id === 'string').length) {
    return list as string[];
  }
  throw new SluiceError('SLUICE_USAGE', `${call} wants document ids as strings, not ${String(wrong)}`);
}
