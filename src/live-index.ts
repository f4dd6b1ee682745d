import { SluiceError } from './errors.js';
import { type PreparePool, startPreparePool } from './indexing/index.js';
import { cutsAlike, type Passport } from './model/passport.js';
import type { Store, StoreReader, StoreWriter } from './model/store.js';
import { ModelsInUse } from './models-in-use.js';
import { type OpenIndexOptions, storeOptions } from './open-options.js';
import { comparePassports, Gate, openStore } from './store/index.js';
import { holdsHan } from './tokens/index.js';

/**
 * What nobody announces (a new graph, commits that a killed writer left unpublished) is looked for this often. Commits
 * are noticed at once.
 */
const FULL_LOOK_EVERY_MS = 5_000;
/** The lock of the index is let go when nothing was written for so long. */
const RELEASE_AFTER_MS = 1_000;

export interface LiveParts {
  store: Store;
  models: ModelsInUse;
  options: OpenIndexOptions;
  /** A pool that was started already. */
  prepare: PreparePool | undefined;
}

/** One generation of an index, and the models that belong to its vectors. Good until the call that it was given to ends. */
export interface Snapshot {
  reader: StoreReader;
  models: ModelsInUse;
  passport: Passport;
}

let opened = 0;

/**
 * The parts of an open index, and the order in which they are used: reads side by side at one generation each, writes
 * one after another, and neither across a change of the vectors.
 */
export class LiveIndex {
  readonly folder: string;
  /** Order of opening: whoever reads several indexes at once enters them in this order, so that none waits in a ring. */
  readonly sequence = opened++;
  #parts: LiveParts;
  #reader: Promise<StoreReader> | undefined;
  #writer: Promise<StoreWriter> | undefined;
  #lookedAt = 0;
  /** Reads run side by side, but never across a refresh. */
  readonly #gate = new Gate();
  /** Runs that write, one after another. */
  #writing: Promise<unknown> = Promise.resolve();
  readonly #running = new AbortController();
  /** Until the writer is let go. */
  #idle: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(folder: string, parts: LiveParts) {
    this.folder = folder;
    this.#parts = parts;
  }

  get passport(): Passport {
    return this.#parts.store.passport;
  }

  get models(): ModelsInUse {
    return this.#parts.models;
  }

  get options(): OpenIndexOptions {
    return this.#parts.options;
  }

  /** Fires with the caller's signal, and when the index is closed. */
  stopSignal(given: AbortSignal | undefined): AbortSignal {
    return given ? AbortSignal.any([given, this.#running.signal]) : this.#running.signal;
  }

  /** One generation from its first step to its last: between two, a replaced document is in neither. */
  async read<T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    await this.#freshen();
    const once = () =>
      this.#gate.shared(async () => {
        const { models, store } = this.#parts;
        return use({ reader: await this.#openReader(), models, passport: store.passport });
      });
    try {
      return await once();
    } catch (error) {
      if (!SluiceError.is(error) || error.code !== 'SLUICE_SNAPSHOT_GONE') throw error;
      // Rows of the snapshot were purged meanwhile: once more on the newest.
      await this.#gate.exclusive(async () => (await this.#openReader()).refresh());
      return once();
    }
  }

  /**
   * One writing call after another; a failed one does not stop the next.
   * @param ended of work that goes on after it has started: when it ends
   */
  exclusive<T>(work: () => Promise<T>, ended?: (started: T) => Promise<unknown>): Promise<T> {
    this.refuseClosed();
    clearTimeout(this.#idle);
    const result = this.#writing.catch(() => {}).then(work);
    const over: Promise<unknown> = result
      .then(ended)
      .catch(() => {})
      .then(() => {
        if (this.#writing !== over || this.#closing) return;
        this.#releaseSoon();
        // A reader that nobody asks would hold its generation, and what was replaced since could never be purged.
        if (this.#reader !== undefined) void this.#freshen().catch(() => {});
      });
    this.#writing = over;
    return result;
  }

  /** For use inside `exclusive`. Keeps the index locked until nothing was written for a moment. */
  async writer(): Promise<StoreWriter> {
    this.refuseClosed();
    this.#writer ??= this.#parts.store.writer();
    try {
      return await this.#writer;
    } catch (error) {
      // Locked now need not be locked at the next try.
      this.#writer = undefined;
      throw error;
    }
  }

  /**
   * Ends a re-embedding: swaps the vectors and moves over to them. Reads wait meanwhile, because what they hold in
   * memory is of the old vectors. For use inside `exclusive`.
   */
  async moveToVectors(passport: Passport, model: OpenIndexOptions['model']): Promise<void> {
    const writer = await this.writer();
    // Before reads have to wait: a graph takes its time.
    await writer.graphReembedded(passport.embedder.dims);
    await this.#gate.exclusive(async () => {
      await writer.finishReembedding(passport);
      const old = this.#parts;
      const options = { ...old.options, ...(model !== undefined && { model }) };
      const store = await openStore(this.folder, storeOptions(options));
      this.#parts = { ...old, options, store, models: new ModelsInUse(options, store.passport) };
      this.#reader = this.#writer = undefined;
      await old.store.close();
      await old.models.close();
    });
  }

  /** jieba takes 200 ms to load, so queries with Han are cut in a worker; others need no cutting. */
  async segment(query: string): Promise<string> {
    return typeof query === 'string' && holdsHan(query)
      ? (await this.preparePool(false)).segment(query)
      : query;
  }

  /** @param checked whether it will cut documents: then it must cut as the index was cut */
  async preparePool(checked = true): Promise<PreparePool> {
    const { models, options } = this.#parts;
    const chunking = this.passport.settings?.chunking ?? options.chunking ?? {};
    this.#parts.prepare ??= startPreparePool(await models.prepareSetup(chunking));
    const { prepare } = this.#parts;
    if (!checked) return prepare;
    const given = await prepare.fingerprints();
    const { chunker } = this.passport;
    comparePassports(this.passport, {
      ...this.passport,
      ...given,
      ...(cutsAlike(chunker, given.chunker) && { chunker }),
    });
    return prepare;
  }

  /** Another handle or process may write next; opening a writer again for each of many calls would take longer. */
  #releaseSoon(): void {
    this.#idle = setTimeout(() => {
      const writer = this.#writer;
      this.#writer = undefined;
      this.#writing = this.#writing.then(async () => (await writer)?.close()).catch(() => {});
    }, RELEASE_AFTER_MS);
    this.#idle.unref();
  }

  /** Stops running work at its next commit, then releases files, threads and models. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#running.abort();
    clearTimeout(this.#idle);
    await this.#writing.catch(() => {});
    await Promise.allSettled([this.#reader, this.#writer]);
    const { store, prepare, models } = this.#parts;
    await store.close();
    await prepare?.close();
    await models.close();
  }

  /** Moves on to what was published since the last read, by this process or another. */
  async #freshen(): Promise<void> {
    this.refuseClosed();
    const reader = await this.#openReader();
    const stale = async (one: StoreReader) =>
      performance.now() - this.#lookedAt > FULL_LOOK_EVERY_MS || (await one.isStale());
    if (!(await stale(reader))) return;
    await this.#gate.exclusive(async () => {
      const current = await this.#openReader();
      // Another call may have refreshed while this one waited.
      if (!(await stale(current))) return;
      this.#lookedAt = performance.now();
      await current.refresh();
    });
  }

  #openReader(): Promise<StoreReader> {
    if (this.#reader === undefined) {
      this.#lookedAt = performance.now();
      const opening = this.#parts.store.reader();
      this.#reader = opening;
      opening.catch(() => {
        if (this.#reader === opening) this.#reader = undefined;
      });
    }
    return this.#reader;
  }

  /** @throws SLUICE_INDEX_CLOSED */
  refuseClosed(): void {
    if (this.#closing) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index was closed');
  }
}
