/** Tells worker threads, which nobody can call while they wait, that what they wait for is not wanted any more. */
export class StopMark {
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #mark = new Int32Array(this.memory);

  /** Sets the mark when the signal fires, until the work is over. Only one run prepares at a time, so one mark is enough. */
  async during<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const set = () => void Atomics.add(this.#mark, 0, 1);
    if (signal?.aborted) set();
    else signal?.addEventListener('abort', set, { once: true });
    try {
      return await work();
    } finally {
      signal?.removeEventListener('abort', set);
      if (signal?.aborted) Atomics.sub(this.#mark, 0, 1);
    }
  }
}
