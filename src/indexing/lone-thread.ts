import { Worker } from 'node:worker_threads';
import { workerUrl } from '../threads/worker-url.js';
import type { LoneCall } from './lone-worker.js';
import type { PrepareSetup } from './prepare-task.js';

/** How long a thread that has answered may take to end by itself. */
const SETTLE_MS = 1_000;

/** What became of a call in a thread of its own. */
export type LoneOutcome<T> = { answer: T } | { error: unknown };

/** A worker thread of its own for one call. */
export class LoneThread<T> {
  readonly worker: Worker;
  readonly thread: number;
  readonly outcome: Promise<LoneOutcome<T>>;

  constructor(setup: PrepareSetup, call: LoneCall) {
    this.worker = new Worker(workerUrl(import.meta.url, './lone-worker.js'), { workerData: setup });
    this.thread = this.worker.threadId;
    this.outcome = this.#watch();
    this.worker.postMessage(call);
  }

  end(): void {
    void this.worker.terminate();
  }

  #watch(): Promise<LoneOutcome<T>> {
    return new Promise((resolve) => {
      let answer: { answer: T } | undefined;
      let failure: { error: unknown } | undefined;
      let settled: NodeJS.Timeout | undefined;
      let wasEnded = false;
      this.worker.on('message', (value: T) => {
        answer = { answer: value };
        // Some modules keep a timer or a connection for ever.
        settled = setTimeout(() => {
          wasEnded = true;
          this.end();
        }, SETTLE_MS);
      });
      const fail = (error: unknown) => {
        failure ??= { error };
      };
      this.worker.on('error', fail);
      this.worker.on('messageerror', fail);
      this.worker.on('exit', (code) => {
        clearTimeout(settled);
        if (answer !== undefined && failure === undefined && (code === 0 || wasEnded)) resolve(answer);
        else resolve(failure ?? { error: new Error(`worker exited with code: ${code}`) });
      });
    });
  }
}
