import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { PrepareSetup } from './prepare-task.js';
import type { ThreadMarks } from './thread-marks.js';
import { moduleStopped, overTime } from './worker-death.js';

/** Turns of the event loop in which the time of a call is counted. */
const TURNS = 8;
const SETTLE_STEP_MS = 10;
const SETTLE_STEPS = 10;

/** The caller's modules, in the order of their marks. */
export function moduleUrls({ chunker, readers = [] }: Pick<PrepareSetup, 'chunker' | 'readers'>): string[] {
  return [...(chunker === undefined ? [] : [chunker]), ...readers];
}

/** The calls of one worker thread into the caller's modules: counted where the main thread sees it, and limited in time. */
export class ModuleCalls {
  readonly #urls: readonly string[];
  readonly #limitMs: number;
  readonly #marks: ThreadMarks | undefined;
  /** Timers that stay on whatever is called. */
  #lasting = 0;

  constructor(urls: readonly string[], limitMs: number, marks?: ThreadMarks) {
    this.#urls = urls;
    this.#limitMs = limitMs;
    this.#marks = marks;
  }

  /**
   * What comes back, if it does. A call that blocks the thread is not ended here: see ModuleWatch.
   * @param item what it is called for; undefined for loading it
   * @throws SLUICE_MODULE_STOPPED, and what the module throws
   */
  async call<T>(url: string, item: string | undefined, work: () => T | PromiseLike<T>): Promise<T> {
    this.#marks?.begin(this.#urls.indexOf(url));
    try {
      const given = work();
      return isPromise(given) ? await this.#inTime(url, item, given) : given;
    } finally {
      this.#marks?.end();
    }
  }

  /** Time in which the event loop was held by others does not count: it is one turn. */
  #inTime<T>(url: string, item: string | undefined, given: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let turns = 0;
      const timer = setInterval(() => {
        this.#marks?.turn();
        if (++turns < TURNS) return;
        clearInterval(timer);
        reject(moduleStopped(url, item, overTime(this.#limitMs)));
      }, this.#limitMs / TURNS);
      given.then(resolve, reject).then(() => clearInterval(timer));
    });
  }

  /**
   * Waits a moment for what calls have left behind, promises and timers: what is thrown there is then thrown within the
   * portion whose files it is of.
   */
  async settle(): Promise<void> {
    if (this.#urls.length === 0) return;
    // Only between two turns of the event loop does Node.js look for rejections that nobody handles.
    await setImmediate();
    for (let step = 0; step < SETTLE_STEPS && timers() > this.#lasting; step++) await delay(SETTLE_STEP_MS);
    this.#lasting = timers();
  }
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'Immediate').length;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
