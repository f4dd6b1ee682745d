import type { LabelSet } from '../model/store.js';

const MAX_FILTERS = 64;
const MAX_BYTES = 64 * 1024 * 1024;

/** Label sets of one generation by filter, the least recently used dropped first. */
export class SelectionCache {
  readonly #select: (filter: string) => Promise<LabelSet>;
  readonly #kept = new Map<string, Promise<LabelSet>>();
  /** Sets of the current generation, so that searches can recognise them. */
  #ids = new WeakMap<LabelSet, number>();
  #nextId = 1;
  #bytes = 0;

  constructor(select: (filter: string) => Promise<LabelSet>) {
    this.#select = select;
  }

  /** @param filter as `encodeFilter` makes it */
  get(filter: string): Promise<LabelSet> {
    const kept = this.#kept.get(filter);
    if (kept) {
      this.#kept.delete(filter);
      this.#kept.set(filter, kept);
      return kept;
    }
    const made = this.#make(filter);
    this.#kept.set(filter, made);
    // A filter that fails must not be remembered.
    made.catch(() => this.#kept.delete(filter));
    return made;
  }

  idOf(set: LabelSet): number | undefined {
    return this.#ids.get(set);
  }

  clear(): void {
    this.#kept.clear();
    this.#ids = new WeakMap();
    this.#bytes = 0;
  }

  async #make(filter: string): Promise<LabelSet> {
    const set = await this.#select(filter);
    this.#ids.set(set, this.#nextId++);
    this.#bytes += set.bits.length + filter.length;
    while (this.#kept.size > 1 && (this.#kept.size > MAX_FILTERS || this.#bytes > MAX_BYTES)) {
      await this.#dropOldest();
    }
    return set;
  }

  async #dropOldest(): Promise<void> {
    const [filter, oldest] = this.#kept.entries().next().value!;
    this.#kept.delete(filter);
    const set = await oldest.catch(() => undefined);
    if (set) this.#bytes -= set.bits.length + filter.length;
  }
}
