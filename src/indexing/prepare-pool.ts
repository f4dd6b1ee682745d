import { noContextCounts } from '../context-lines/index.js';
import { joinTexts } from '../model/text-column.js';
import { workerUrl } from '../threads/worker-url.js';
import type { LeftOut } from './portion-items.js';
import { PortionThreads } from './portion-threads.js';
import type { Fingerprints, PreparedBatch, PrepareSetup, PrepareTask, ReaderNames } from './prepare-task.js';
import { StopMark } from './stop-mark.js';

/** Threads that parse and chunk: the main thread must stay free. */
export interface PreparePool {
  /** Portions that are worth being under way at once. */
  readonly portionsUnderWay: number;
  /**
   * @returns one batch; several, in the order of the portion, where a thread died of it
   * @throws SLUICE_ABORTED where it was waiting for an endpoint, or for a module of the caller, when the signal fired
   */
  prepare(task: PrepareTask, signal?: AbortSignal): Promise<PreparedBatch[]>;
  /** @throws SLUICE_MODULE_INVALID, SLUICE_MODULE_STOPPED */
  fingerprints(): Promise<Fingerprints>;
  /** The caller's readers: their files are candidates of a walk. */
  readers(): Promise<ReaderNames[]>;
  /** Cuts a query into words the way the indexed text was cut. */
  segment(text: string): Promise<string>;
  close(): Promise<void>;
}

const PORTIONS_UNDER_WAY = 3;

/** @param threads parsing and chunking take a few percent of embedding's time, so one thread feeds many cores */
export function startPreparePool(setup: PrepareSetup, threads = 1): PreparePool {
  // Calls over the network of several portions go on side by side in one thread.
  const concurrency = setup.context && 'endpoint' in setup.context ? (setup.context.concurrency ?? 4) : 1;
  const stop = new StopMark();
  const pool = new PortionThreads({
    url: workerUrl(import.meta.url, './prepare-worker.js'),
    setup: { ...setup, stop: stop.memory },
    threads,
    concurrency,
  });
  return {
    portionsUnderWay: Math.max(PORTIONS_UNDER_WAY, concurrency),
    prepare: (task, signal) => stop.during(signal, () => pool.portion('run', task, batchWithout, signal)),
    fingerprints: () => pool.ask('fingerprints'),
    readers: async () => (setup.readers?.length ? pool.ask('readers') : []),
    segment: (text) => pool.ask('segment', text),
    close: () => pool.close(),
  };
}

function batchWithout(item: LeftOut): PreparedBatch {
  return {
    ...item,
    documents: [],
    texts: joinTexts([]),
    embeddingHashes: new Uint8Array(0),
    incomplete: [],
    contexts: noContextCounts(),
    readMs: 0,
    chunkMs: 0,
  };
}
