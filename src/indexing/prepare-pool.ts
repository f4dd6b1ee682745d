import { Piscina } from 'piscina';
import { fromErrorRecord } from '../errors.js';
import { onnxRuntime } from '../inference/runtime.js';
import { addon } from '../native/addon.js';
import { transferList } from '../threads/transfer.js';
import { workerUrl } from '../threads/worker-url.js';
import type { Fingerprints, PreparedBatch, PrepareSetup, PrepareTask, ReaderNames } from './prepare-task.js';
import type { Answer } from './prepare-worker.js';

/** Threads that parse and chunk: the main thread must stay free. */
export interface PreparePool {
  prepare(task: PrepareTask): Promise<PreparedBatch>;
  fingerprints(): Promise<Fingerprints>;
  /** The caller's readers: their files are candidates of a walk. */
  readers(): Promise<ReaderNames[]>;
  /** Cuts a query into words the way the indexed text was cut. */
  segment(text: string): Promise<string>;
  close(): Promise<void>;
}

/** @param threads parsing and chunking take a few percent of embedding's time, so one thread feeds many cores */
export function startPreparePool(setup: PrepareSetup, threads = 1): PreparePool {
  // Addons are loaded once here before any worker loads them: concurrent first loads have crashed processes.
  addon();
  if (setup.sentences) onnxRuntime();
  const pool = new Piscina({
    filename: workerUrl(import.meta.url, './prepare-worker.js').href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    workerData: setup,
  });
  async function ask<T>(name: string, task: unknown): Promise<T> {
    const answer: Answer<T> = await pool.run(task, { name, transferList: transferList(task) as never });
    if ('failure' in answer) throw fromErrorRecord(answer.failure);
    return answer.value;
  }
  return {
    prepare: (task) => ask('run', task),
    fingerprints: () => ask('fingerprints', undefined),
    readers: async () => (setup.readers?.length ? ask('readers', undefined) : []),
    segment: (text) => ask('segment', text),
    close: () => pool.close({ force: true }).then(() => pool.destroy()),
  };
}
