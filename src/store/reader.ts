import { SluiceError } from '../errors.js';
import type { Filter } from '../model/filter.js';
import type {
  DocumentCounts,
  DocumentEntry,
  Facets,
  LabelSet,
  LegResult,
  StoredChunk,
  StoredDocument,
  StoreReader,
  StoreStats,
} from '../model/store.js';
import { vectorTrouble } from '../model/vector-length.js';
import { workerUrl } from '../threads/worker-url.js';
import { encodeFilter, withOptional } from './filter/node.js';
import { parseFilter } from './filter/parse.js';
import { Gate } from './gate.js';
import { NO_HITS } from './hits.js';
import type { IndexLayout } from './layout.js';
import type { IndexIdentity } from './opened-index.js';
import type { ResolvedStoreOptions } from './options.js';
import { PagedText } from './paged-text.js';
import type { ReaderPosition } from './reader-thread.js';
import { SelectionCache } from './selection-cache.js';
import { WorkerThread } from './threads.js';

type ReaderTasks = typeof import('./reader-thread.js');

/** Native searches under way in the worker at once. */
const CONCURRENCY = 8;
/** Pieces in which a document comes over, so that no single message holds up the caller's thread. */
const PAGES_A_MESSAGE = 16;
const CHUNKS_A_MESSAGE = 250;
const ENTRIES_A_MESSAGE = 250;

const NO_FIELDS: ReadonlySet<string> = new Set();

/** Catches a derived index up, if nobody else is writing; false where that is not possible now. */
export type Repair = () => Promise<boolean>;

/** A snapshot, seen from the caller's thread. Calls run side by side, except that a refresh runs alone. */
export class LocalReader implements StoreReader {
  readonly #thread: WorkerThread<ReaderTasks>;
  readonly #dims: number;
  readonly #repair: Repair;
  readonly #onClosed: (reader: LocalReader) => void;
  readonly #gate = new Gate();
  readonly #selections: SelectionCache;
  #generation = 0;
  #problems: readonly string[] = [];
  /** What this thread found out. */
  #problem: string | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    thread: WorkerThread<ReaderTasks>,
    dims: number,
    repair: Repair,
    onClosed: (reader: LocalReader) => void,
  ) {
    this.#onClosed = onClosed;
    this.#thread = thread;
    this.#dims = dims;
    this.#repair = repair;
    this.#selections = new SelectionCache((filter) => thread.call('select', filter));
  }

  /** @param onClosed called when the reader is closed, also where opening it fails */
  static async open(
    layout: IndexLayout,
    dims: number,
    identity: IndexIdentity,
    options: ResolvedStoreOptions,
    repair: Repair,
    onClosed: (reader: LocalReader) => void = () => {},
  ): Promise<LocalReader> {
    const url = workerUrl(import.meta.url, './reader-thread.js');
    const thread = new WorkerThread<ReaderTasks>(
      url,
      CONCURRENCY,
      `the reader of the index ${layout.folder}`,
    );
    const reader = new LocalReader(thread, dims, repair, onClosed);
    try {
      await thread.call('open', { folder: layout.folder, dims, identity, options });
      await reader.refresh();
    } catch (error) {
      await reader.close();
      throw error;
    }
    return reader;
  }

  get generation(): number {
    return this.#generation;
  }

  get problems(): readonly string[] {
    return this.#problem === undefined ? this.#problems : [...this.#problems, this.#problem];
  }

  refresh(): Promise<void> {
    return this.#gate.exclusive(async () => {
      let position = await this.#thread.call('refresh', undefined);
      if (position.behind && (await this.#tryRepair(position))) {
        if (position.behind === 'damaged') await this.#thread.call('reopenKeywords', undefined);
        position = await this.#thread.call('refresh', undefined);
      }
      if (position.behind === 'damaged') throw damaged(position);
      this.#problems = position.problems;
      if (position.generation !== this.#generation) this.#selections.clear();
      this.#generation = position.generation;
    });
  }

  /** A reader that only lags behind can do without: the index may lie where nothing can be written. */
  async #tryRepair(position: ReaderPosition): Promise<boolean> {
    try {
      return await this.#repair();
    } catch (error) {
      if (position.behind === 'damaged') throw error;
      this.#problem = `the last commits cannot be published: ${(error as Error).message}`;
      return false;
    }
  }

  async select(filter: Filter | undefined, optional: ReadonlySet<string> = NO_FIELDS): Promise<LabelSet> {
    const encoded = await encode(filter, optional);
    return this.#gate.shared(() => this.#selections.get(encoded));
  }

  async count(filter: Filter | undefined): Promise<DocumentCounts> {
    const encoded = await encode(filter);
    return this.#gate.shared(() => this.#thread.call('count', encoded));
  }

  async facets(field: string, filter: Filter | undefined, limit: number): Promise<Facets> {
    checkCount(limit, 'limit');
    const encoded = await encode(filter);
    return this.#gate.shared(() => this.#thread.call('facets', { field, filter: encoded, limit }));
  }

  async list(filter: Filter | undefined, after: string | undefined, limit: number): Promise<DocumentEntry[]> {
    checkCount(limit, 'limit');
    const encoded = await encode(filter);
    return this.#gate.shared(async () => {
      const found: DocumentEntry[] = [];
      for (let last = after ?? null; found.length < limit; ) {
        const some = Math.min(limit - found.length, ENTRIES_A_MESSAGE);
        const page = await this.#thread.call('list', { filter: encoded, after: last, limit: some });
        for (const entry of page.entries) found.push(entry);
        if (page.next === undefined) break;
        last = page.next;
      }
      return found;
    });
  }

  async searchKeywords(query: string, k: number, allowed: LabelSet): Promise<LegResult> {
    checkCount(k);
    if (k === 0 || allowed.count === 0) return NO_HITS;
    return this.#gate.shared(() => this.#thread.call('searchKeywords', { query, k, bits: allowed.bits }));
  }

  async searchVectors(query: Float32Array, k: number, allowed: LabelSet, ef?: number): Promise<LegResult> {
    checkCount(k);
    const problem = query.length === this.#dims ? vectorTrouble(query) : `has ${query.length} dimensions`;
    if (problem !== undefined) {
      throw new SluiceError('SLUICE_EMBEDDING_INVALID', `the query vector ${problem}`, {
        hint: `this index needs ${this.#dims} finite numbers`,
        details: { expected: this.#dims, actual: query.length },
      });
    }
    if (k === 0 || allowed.count === 0) return NO_HITS;
    return this.#gate.shared(() => {
      const { bits, count } = allowed;
      return this.#thread.call('searchVectors', { query: query.slice(), k, bits, count, ef });
    });
  }

  chunks(labels: Uint32Array): Promise<StoredChunk[]> {
    return this.#fetch('chunks', labels);
  }

  parents(labels: Uint32Array): Promise<StoredChunk[]> {
    return this.#fetch('parents', labels);
  }

  #fetch(what: 'chunks' | 'parents', labels: Uint32Array): Promise<StoredChunk[]> {
    return this.#gate.shared(async () => {
      const found: StoredChunk[] = [];
      for (let from = 0; from < labels.length; from += CHUNKS_A_MESSAGE) {
        const some = labels.slice(from, from + CHUNKS_A_MESSAGE);
        for (const chunk of await this.#thread.call(what, some)) found.push(chunk);
      }
      return found;
    });
  }

  async document(id: string): Promise<StoredDocument | undefined> {
    return this.#gate.shared(async () => {
      const head = await this.#thread.call('documentHead', id);
      if (!head) return undefined;
      const { key, body, first, count, ...rest } = head;
      const text = await this.#text(body);
      const chunks: StoredChunk[] = [];
      for (let from = first; from < first + count; from += CHUNKS_A_MESSAGE) {
        const end = Math.min(from + CHUNKS_A_MESSAGE, first + count);
        for (const chunk of await this.#thread.call('chunkRange', { key, first: from, end })) {
          chunks.push({ ...chunk, text: text.slice(chunk.start, chunk.end) });
        }
      }
      return { ...rest, text: text.whole(), chunks };
    });
  }

  has(ids: string[]): Promise<boolean[]> {
    return this.#gate.shared(() => this.#thread.call('has', ids));
  }

  async #text(body: number): Promise<PagedText> {
    const paged = new PagedText();
    for (let from = 0; ; ) {
      const pages = await this.#thread.call('documentPages', { body, from, limit: PAGES_A_MESSAGE });
      for (const { text } of pages) paged.add(text);
      if (pages.length < PAGES_A_MESSAGE) return paged;
      const last = pages.at(-1)!;
      from = last.start + last.text.length;
    }
  }

  isStale(): Promise<boolean> {
    return this.#thread.call('isStale', undefined);
  }

  async stats(): Promise<StoreStats> {
    const stats = await this.#gate.shared(() => this.#thread.call('stats', undefined));
    if (this.#problem !== undefined) stats.problems = [...(stats.problems ?? []), this.#problem];
    return stats;
  }

  close(): Promise<void> {
    this.#closing ??= this.#gate.exclusive(async () => {
      try {
        await this.#thread.call('close', undefined);
      } finally {
        await this.#thread.close();
        this.#onClosed(this);
      }
    });
    return this.#closing;
  }
}

function encode(filter: Filter | undefined, optional: ReadonlySet<string> = NO_FIELDS): Promise<string> {
  return encodeFilter(filter === undefined ? undefined : withOptional(parseFilter(filter), optional));
}

function checkCount(count: number, name = 'k'): void {
  if (Number.isSafeInteger(count) && count >= 0) return;
  throw new SluiceError('SLUICE_USAGE', `${name} must be a whole number from 0 on, not ${count}`);
}

function damaged({ reason }: ReaderPosition): SluiceError {
  return new SluiceError('SLUICE_INDEX_CORRUPT', `the keyword index cannot be read: ${reason}`, {
    hint: 'open the index for writing once: it is built anew from the database',
  });
}
