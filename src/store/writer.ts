import { resolve } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import type { Transferable } from 'node:worker_threads';
import { SluiceError } from '../errors.js';
import type { EmbedderFingerprint, EmbeddingMatrix } from '../model/embedder.js';
import type { Passport } from '../model/passport.js';
import type {
  CommitBatch,
  CommitResult,
  CompactReport,
  KnownVectors,
  KnownVectorsQuery,
  ReembeddingState,
  Root,
  SourcePage,
  SourceState,
  StoreWriter,
  TextsToEmbed,
} from '../model/store.js';
import { type TextColumn, textAt, textCount } from '../model/text-column.js';
import type { NativeFileLock } from '../native/contract.js';
import { workerUrl } from '../threads/worker-url.js';
import type { IndexLayout } from './layout.js';
import { type OnProgress, withProgress } from './maintenance/progress.js';
import type { IndexIdentity } from './opened-index.js';
import type { ResolvedStoreOptions } from './options.js';
import type { DocumentOwner } from './sources.js';
import { WorkerThread } from './threads.js';
import { packBatch } from './transfer.js';

/** Well under a millisecond of work. */
const TEXTS_PER_STEP = 1_000;

type WriterTasks = typeof import('./writer-thread.js');

/** The single writer, seen from the caller's thread: everything happens in a worker, in the order of the calls. */
export class LocalWriter implements StoreWriter {
  readonly #thread: WorkerThread<WriterTasks>;
  readonly #lock: NativeFileLock;
  readonly #dims: number;
  readonly #onClosed: () => void;
  #closing: Promise<void> | undefined;

  #generation: number;

  private constructor(
    thread: WorkerThread<WriterTasks>,
    lock: NativeFileLock,
    dims: number,
    generation: number,
    onClosed: () => void,
  ) {
    this.#onClosed = onClosed;
    this.#thread = thread;
    this.#generation = generation;
    this.#lock = lock;
    this.#dims = dims;
  }

  /** Takes over the lock: releases it when closed, and when opening fails. */
  static async open(
    layout: IndexLayout,
    dims: number,
    identity: IndexIdentity,
    options: ResolvedStoreOptions,
    lock: NativeFileLock,
    onClosed = () => {},
  ): Promise<LocalWriter> {
    const url = workerUrl(import.meta.url, './writer-thread.js');
    const thread = new WorkerThread<WriterTasks>(url, 1, `the writer of the index ${layout.folder}`);
    try {
      const { generation } = await thread.call('open', { folder: layout.folder, dims, identity, options });
      return new LocalWriter(thread, lock, dims, generation, onClosed);
    } catch (error) {
      await thread.close();
      lock.release();
      throw error;
    }
  }

  /**
   * Hands the buffers of texts and vectors over: arrays that own their whole buffer are detached, views are copied.
   * If the promise rejects, nothing of the batch is in the index.
   * @throws SLUICE_EMBEDDING_INVALID, SLUICE_DUPLICATE_ID, SLUICE_RECORD_INVALID
   */
  async commit(batch: CommitBatch): Promise<CommitResult> {
    const transfer: Transferable[] = [];
    const result = await this.#thread.call('commit', packBatch(batch, this.#dims, transfer), transfer);
    this.#generation = result.generation;
    return result;
  }

  get generation(): number {
    return this.#generation;
  }

  publish(): Promise<void> {
    return this.#thread.call('publish', undefined);
  }

  /** What was committed becomes searchable; the graph waits for the next `publish`. */
  publishKeywords(): Promise<void> {
    return this.#thread.call('publishKeywordsOnly', undefined);
  }

  /** Erases what is not live, from all files, and builds the keyword index and the graph anew. */
  compact(onProgress?: OnProgress): Promise<CompactReport> {
    return withProgress(onProgress, (port) => this.#thread.call('compact', port, port ? [port] : []));
  }

  /** Builds derived indexes anew from the database. */
  rebuild(parts: { keywords: boolean; graph: boolean; filters: boolean }): Promise<void> {
    return this.#thread.call('rebuild', parts);
  }

  unchanged(documents: { id: string; contentHash: string }[]): Promise<boolean[]> {
    return this.#thread.call('unchanged', documents);
  }

  owners(ids: string[]): Promise<Map<string, DocumentOwner>> {
    return this.#thread.call('owners', ids);
  }

  knownVectors(query: KnownVectorsQuery): Promise<KnownVectors> {
    return this.#thread.call('knownVectors', query);
  }

  sourceStates(sources: string[]): Promise<Map<string, SourceState>> {
    return this.#thread.call('sourceStates', sources);
  }

  sourcesUnder(prefix: string, page?: SourcePage): Promise<string[]> {
    return this.#thread.call('sourcesUnder', { prefix, page });
  }

  async documentsOf(source: string): Promise<string[]> {
    return unpackSlowly(await this.#thread.call('documentsOf', source));
  }

  forgetSource(source: string): Promise<void> {
    return this.#thread.call('forgetSource', source);
  }

  async rootName(absolutePath: string): Promise<string> {
    if (absolutePath === '') throw new SluiceError('SLUICE_USAGE', 'a root needs a path');
    return this.#thread.call('rootName', resolve(absolutePath));
  }

  knownName(absolutePath: string): Promise<string | undefined> {
    return this.#thread.call('knownName', resolve(absolutePath));
  }

  rootsInside(absolutePath: string): Promise<Root[]> {
    return this.#thread.call('rootsInside', resolve(absolutePath));
  }

  beginReembedding(embedder: EmbedderFingerprint): Promise<ReembeddingState> {
    return this.#thread.call('beginReembedding', embedder);
  }

  nextToReembed(limit: number): Promise<TextsToEmbed> {
    return this.#thread.call('nextToReembed', limit);
  }

  addReembedded(labels: Uint32Array, vectors: EmbeddingMatrix): Promise<void> {
    return this.#thread.call('addReembedded', { labels, vectors });
  }

  graphReembedded(dims: number): Promise<void> {
    return this.#thread.call('graphReembedded', dims);
  }

  finishReembedding(passport: Passport): Promise<void> {
    return this.#thread.call('finishReembedding', passport);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#thread.call('close', undefined);
    } finally {
      await this.#thread.close();
      this.#lock.release();
      this.#onClosed();
    }
  }
}

/** The strings of a column, made in steps: a file may hold a million records. */
async function unpackSlowly(column: TextColumn): Promise<string[]> {
  const texts: string[] = [];
  for (let row = 0; row < textCount(column); row++) {
    texts.push(textAt(column, row));
    if (texts.length % TEXTS_PER_STEP === 0) await pause();
  }
  return texts;
}
