/** Lets so many pieces of work in at once; the others wait in the order in which they came. */
export class Turnstile {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes straight to the next one: nobody can slip in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
