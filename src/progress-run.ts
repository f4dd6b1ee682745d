import { setTimeout as sleep } from 'node:timers/promises';

const DEFAULT_PROGRESS_MS = 1_000;

/** Work that has begun and can be asked how far it is. */
export interface RunningWork<Progress, Report> {
  progress(): Progress;
  readonly report: Promise<Report>;
}

/**
 * A long call that runs by itself. Await it for its report, or iterate over its progress first.
 *
 *     for await (const { chunks, etaMs } of run.progress()) console.error(chunks, etaMs);
 *     const report = await run;
 */
export class ProgressRun<Progress, Report> implements Promise<Report> {
  readonly [Symbol.toStringTag] = 'ProgressRun';
  readonly #work: Promise<RunningWork<Progress, Report>>;
  readonly #report: Promise<Report>;

  /** @param settle turns the report of interrupted work into the error that awaiting it throws */
  constructor(work: Promise<RunningWork<Progress, Report>>, settle: (report: Report) => Report) {
    this.#work = work;
    this.#report = work.then(({ report }) => report).then(settle);
    // Whoever only iterates learns of a failure there; it must not end the process as an unhandled rejection.
    this.#report.catch(() => {});
  }

  /**
   * A snapshot every `everyMs` milliseconds (default 1,000) and a last one at the end.
   * @throws what the run throws
   */
  async *progress(everyMs = DEFAULT_PROGRESS_MS): AsyncGenerator<Progress, void, undefined> {
    const work = await this.#work;
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
      yield work.progress();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Progress> {
    return this.progress();
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is meant to be awaited
  then<A = Report, B = never>(
    resolved?: ((report: Report) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#report.then(resolved, rejected);
  }

  catch<B = never>(rejected?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Report | B> {
    return this.#report.catch(rejected);
  }

  finally(ended?: (() => void) | null): Promise<Report> {
    return this.#report.finally(ended);
  }
}
