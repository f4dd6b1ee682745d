import type { Worker } from 'node:worker_threads';
import { ThreadMarks } from './thread-marks.js';

/**
 * Looks at a thread within the time that a module has. They are counted, not timed: a process that was stopped for a while
 * (a laptop that slept, a debugger) says nothing of its threads.
 */
const LOOKS = 8;

/** Ends threads that a module of the caller blocks for too long: an endless loop cannot be interrupted from inside. */
export class ModuleWatch {
  readonly #memory: SharedArrayBuffer;
  readonly #threads: () => readonly Worker[];
  readonly #seen = new Map<number, { turns: number; looks: number }>();
  readonly #ended = new Set<number>();
  readonly #timer: NodeJS.Timeout;

  /** @param memory where these threads leave their marks */
  constructor(memory: SharedArrayBuffer, limitMs: number, threads: () => readonly Worker[]) {
    this.#memory = memory;
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
    for (const worker of this.#threads()) {
      const thread = worker.threadId;
      const { calls, turns } = new ThreadMarks(this.#memory, thread);
      const seen = this.#seen.get(thread);
      if (calls === 0 || seen?.turns !== turns) this.#seen.set(thread, { turns, looks: 0 });
      else if (++seen.looks === LOOKS) {
        this.#ended.add(thread);
        this.#seen.delete(thread);
        void worker.terminate();
      }
    }
  }
}
