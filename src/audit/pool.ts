import { Piscina } from 'piscina';
import { fromErrorRecord } from '../errors.js';
import type { PrepareSetup, PrepareTask, ReaderNames } from '../indexing/prepare-task.js';
import type { Answer } from '../indexing/prepare-worker.js';
import { onnxRuntime } from '../inference/runtime.js';
import { addon } from '../native/addon.js';
import { transferList } from '../threads/transfer.js';
import { workerUrl } from '../threads/worker-url.js';
import type { AuditBatch } from './audit-task.js';
import type { CutBatch } from './cut-document.js';

/** Threads that read and cut as those of indexing do, and look at what they did. */
export interface AuditPool {
  readonly threads: number;
  audit(task: PrepareTask): Promise<AuditBatch>;
  cut(task: PrepareTask): Promise<CutBatch>;
  /** The caller's readers: their files are candidates of a walk. */
  readers(): Promise<ReaderNames[]>;
  close(): Promise<void>;
}

export function startAuditPool(setup: PrepareSetup, threads: number): AuditPool {
  // Addons are loaded once here before any worker loads them: concurrent first loads have crashed processes.
  addon();
  if (setup.sentences) onnxRuntime();
  const pool = new Piscina({
    filename: workerUrl(import.meta.url, './audit-worker.js').href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    workerData: setup,
  });
  async function ask<T>(name: string, task?: PrepareTask): Promise<T> {
    const answer: Answer<T> = await pool.run(task, { name, transferList: transferList(task) as never });
    if ('failure' in answer) throw fromErrorRecord(answer.failure);
    return answer.value;
  }
  return {
    threads,
    audit: (task) => ask('audit', task),
    cut: (task) => ask('cut', task),
    readers: async () => (setup.readers?.length ? ask('readers') : []),
    close: () => pool.close({ force: true }).then(() => pool.destroy()),
  };
}
