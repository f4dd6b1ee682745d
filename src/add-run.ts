import { setTimeout as sleep } from 'node:timers/promises';
import { SluiceError } from './errors.js';
import type { IndexingRun, IndexProgress, IndexReport } from './indexing/index.js';

const DEFAULT_PROGRESS_MS = 1_000;

/**
 * A running `add`. Await it for the report, or iterate over its progress first; either way it runs by itself.
 *
 *     for await (const { chunks, etaMs } of run.progress()) console.error(chunks, etaMs);
 *     const report = await run;
 */
export class AddRun implements PromiseLike<IndexReport> {
  readonly #run: Promise<IndexingRun>;
  readonly #report: Promise<IndexReport>;

  constructor(run: Promise<IndexingRun>) {
    this.#run = run;
    this.#report = run.then(({ report }) => report).then(refuseInterrupted);
    // Whoever only iterates learns of a failure there; it must not end the process as an unhandled rejection.
    this.#report.catch(() => {});
  }

  /**
   * A snapshot every `everyMs` milliseconds (default 1,000) and a last one at the end.
   * @throws what the run throws
   */
  async *progress(everyMs = DEFAULT_PROGRESS_MS): AsyncGenerator<IndexProgress, void, undefined> {
    const run = await this.#run;
    let running = true;
    const ended = this.#report.finally(() => {
      running = false;
    });
    ended.catch(() => {});
    while (running) {
      const pause = new AbortController();
      try {
        await Promise.race([ended, sleep(everyMs, undefined, { signal: pause.signal }).catch(() => {})]);
      } finally {
        // Also when the run failed: a timer that goes on would keep the process alive.
        pause.abort();
      }
      yield run.progress();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<IndexProgress> {
    return this.progress();
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is meant to be awaited
  then<A = IndexReport, B = never>(
    resolved?: ((report: IndexReport) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#report.then(resolved, rejected);
  }
}

function refuseInterrupted(report: IndexReport): IndexReport {
  if (!report.interrupted) return report;
  throw new SluiceError(
    'SLUICE_ABORTED',
    'indexing was aborted; what was embedded until then is in the index',
    {
      hint: 'run it again to go on',
      details: { report },
    },
  );
}
