import type { Worker } from 'node:worker_threads';
import { ThreadMarks } from './thread-marks.js';

/** Looks at a thread within the time that a module has. */
const LOOKS = 8;

/** Ends threads that a module of the caller blocks for too long: an endless loop cannot be interrupted from inside. */
export class ModuleWatch {
  readonly #memory: SharedArrayBuffer;
  readonly #limitMs: number;
  readonly #threads: () => readonly Worker[];
  readonly #seen = new Map<number, { turns: number; since: number }>();
  /** The module that each ended thread was in, by thread. */
  readonly #ended = new Map<number, number | undefined>();
  readonly #timer: NodeJS.Timeout;

  /** @param memory where these threads leave their marks */
  constructor(memory: SharedArrayBuffer, limitMs: number, threads: () => readonly Worker[]) {
    this.#memory = memory;
    this.#limitMs = limitMs;
    this.#threads = threads;
    this.#timer = setInterval(() => this.#look(), limitMs / LOOKS).unref();
  }

  /** Threads that were ended so far. */
  get endings(): number {
    return this.#ended.size;
  }

  hasEnded(thread: number): boolean {
    return this.#ended.has(thread);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const worker of this.#threads()) {
      const thread = worker.threadId;
      const { calls, turns, module } = new ThreadMarks(this.#memory, thread);
      const seen = this.#seen.get(thread);
      if (calls === 0 || seen?.turns !== turns) this.#seen.set(thread, { turns, since: now });
      else if (now - seen.since >= this.#limitMs && !this.#ended.has(thread)) {
        this.#ended.set(thread, module);
        this.#seen.delete(thread);
        void worker.terminate();
      }
    }
  }
}
