import { Piscina } from 'piscina';
import { fromErrorRecord } from '../errors.js';
import { onnxRuntime } from '../inference/runtime.js';
import { addon } from '../native/addon.js';
import { transferList } from '../threads/transfer.js';
import { workerUrl } from '../threads/worker-url.js';
import type { Fingerprints, PreparedBatch, PrepareSetup, PrepareTask, ReaderNames } from './prepare-task.js';
import type { Answer } from './prepare-worker.js';
import { StopMark } from './stop-mark.js';

/** Threads that parse and chunk: the main thread must stay free. */
export interface PreparePool {
  /** Portions that are worth being under way at once. */
  readonly portionsUnderWay: number;
  /** @throws SLUICE_ABORTED where it was waiting for an endpoint when the signal fired */
  prepare(task: PrepareTask, signal?: AbortSignal): Promise<PreparedBatch>;
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
  // Addons are loaded once here before any worker loads them: concurrent first loads have crashed processes.
  addon();
  // Calls over the network of several portions go on side by side in one thread.
  const concurrency = setup.context && 'endpoint' in setup.context ? (setup.context.concurrency ?? 4) : 1;
  const stop = new StopMark();
  if (setup.sentences) onnxRuntime();
  const pool = new Piscina({
    filename: workerUrl(import.meta.url, './prepare-worker.js').href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: concurrency,
    workerData: { ...setup, stop: stop.memory } satisfies PrepareSetup,
  });
  async function ask<T>(name: string, task: unknown): Promise<T> {
    const answer: Answer<T> = await pool.run(task, { name, transferList: transferList(task) as never });
    if ('failure' in answer) throw fromErrorRecord(answer.failure);
    return answer.value;
  }
  return {
    portionsUnderWay: Math.max(PORTIONS_UNDER_WAY, concurrency),
    prepare: (task, signal) => stop.during(signal, () => ask('run', task)),
    fingerprints: () => ask('fingerprints', undefined),
    readers: async () => (setup.readers?.length ? ask('readers', undefined) : []),
    segment: (text) => ask('segment', text),
    close: () => pool.close({ force: true }).then(() => pool.destroy()),
  };
}
