/** Most times the quiet is waited for: somebody who writes without a pause is not waited for for ever. */
const MOST_WAITS = 10;

/** That something changed, kept until it is asked for. */
export class Changes {
  readonly #quietMs: number;
  #first: number | undefined;
  #last = 0;
  #wake: (() => void) | undefined;

  /** @param quietMs how long nothing must have changed before a change counts as settled */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  note(): void {
    this.#last = performance.now();
    this.#first ??= this.#last;
    this.#wake?.();
  }

  /** Resolves to true when something changed and it became quiet, to false when the signal fires. Forgets the change. */
  async settled(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (this.#first === undefined) {
        await this.#pause(undefined, signal);
        continue;
      }
      const due = Math.min(this.#last + this.#quietMs, this.#first + MOST_WAITS * this.#quietMs);
      const left = due - performance.now();
      if (left <= 0) {
        this.#first = undefined;
        return true;
      }
      await this.#pause(left, signal);
    }
    return false;
  }

  /** Until so many milliseconds are over, or without a number until the next change; in any case until the signal. */
  #pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => done(), ms);
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      if (ms === undefined) this.#wake = done;
      signal.addEventListener('abort', done);
    });
  }
}
