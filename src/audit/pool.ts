import type { LeftOut } from '../indexing/portion-items.js';
import { PortionThreads } from '../indexing/portion-threads.js';
import type { PrepareSetup, PrepareTask, ReaderNames } from '../indexing/prepare-task.js';
import { workerUrl } from '../threads/worker-url.js';
import { type AuditBatch, SIZE_STEPS } from './audit-task.js';
import type { CutBatch } from './cut-document.js';

/** Threads that read and cut as those of indexing do, and look at what they did. */
export interface AuditPool {
  readonly threads: number;
  /**
   * @returns one batch; several where a thread died of the portion
   * @throws SLUICE_ABORTED with modules of the caller as soon as the signal fires
   */
  audit(task: PrepareTask, signal?: AbortSignal): Promise<AuditBatch[]>;
  cut(task: PrepareTask): Promise<CutBatch[]>;
  /** The caller's readers: their files are candidates of a walk. */
  readers(): Promise<ReaderNames[]>;
  close(): Promise<void>;
}

export function startAuditPool(setup: PrepareSetup, threads: number): AuditPool {
  const pool = new PortionThreads({
    url: workerUrl(import.meta.url, './audit-worker.js'),
    setup,
    threads,
  });
  return {
    threads,
    audit: (task, signal) => pool.portion('audit', task, auditWithout, signal),
    cut: (task) => pool.portion('cut', task, cutWithout),
    readers: async () => (setup.readers?.length ? pool.ask('readers') : []),
    close: () => pool.close(),
  };
}

function auditWithout({ skipped, files, bytes }: LeftOut): AuditBatch {
  return {
    documents: [],
    skipped,
    files: files.length,
    failedFiles: files.filter(({ error }) => error !== null).length,
    bytes,
    limitTokens: 0,
    sizes: new Uint32Array(SIZE_STEPS),
    smallestTokens: 0,
    largestTokens: 0,
    textHashes: new BigUint64Array(0),
    startLines: new Uint32Array(0),
  };
}

function cutWithout({ skipped }: LeftOut): CutBatch {
  return { documents: [], skipped, limitTokens: 0, chunker: '' };
}
