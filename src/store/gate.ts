/** Lets calls run side by side, except for exclusive ones: those wait for all before and hold up all after them. */
export class Gate {
  readonly #running = new Set<Promise<unknown>>();
  #barrier: Promise<unknown> = Promise.resolve();

  shared<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#barrier.then(run);
    const settled = result.catch(() => {});
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    return result;
  }

  exclusive<T>(run: () => Promise<T>): Promise<T> {
    const result = Promise.all([this.#barrier, ...this.#running]).then(run);
    this.#barrier = result.catch(() => {});
    return result;
  }
}
