import { usableCores } from '../threads/cores.js';

export type Priority = 'query' | 'bulk';

/** Gives a core back. Calling it again does nothing. */
export type ReleaseCore = () => void;

/**
 * Counts the cores that inference keeps busy. Every run of a model (always one thread) holds one core from here while
 * it runs, so all lanes of all engines together never use more than `cores`. Waiting queries go before waiting bulk
 * work; among equals the first comes first.
 */
export class ThreadBudget {
  readonly cores: number;
  /** One shared number: queries that wait for a core. Bulk workers look at it between texts and make room. */
  readonly waitingQueries = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #inUse = 0;
  #peak = 0;
  readonly #waiting: Record<Priority, Array<(release: ReleaseCore) => void>> = { query: [], bulk: [] };

  constructor(cores: number = usableCores()) {
    this.cores = Math.max(1, Math.floor(cores));
  }

  /** Resolves when a core is free. */
  acquire(priority: Priority): Promise<ReleaseCore> {
    if (this.#inUse < this.cores) return Promise.resolve(this.#take());
    return new Promise((resolve) => {
      this.#waiting[priority].push(resolve);
      this.#publish();
    });
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Most cores that were ever in use at once. */
  get peak(): number {
    return this.#peak;
  }

  #take(): ReleaseCore {
    this.#inUse++;
    this.#peak = Math.max(this.#peak, this.#inUse);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#inUse--;
      const next = this.#waiting.query.shift() ?? this.#waiting.bulk.shift();
      this.#publish();
      next?.(this.#take());
    };
  }

  #publish(): void {
    Atomics.store(this.waitingQueries, 0, this.#waiting.query.length);
  }
}

let shared: ThreadBudget | undefined;

/** The one budget of this process. */
export function processBudget(): ThreadBudget {
  shared ??= new ThreadBudget();
  return shared;
}
