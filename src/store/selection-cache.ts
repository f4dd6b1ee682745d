import type { LabelSet } from '../model/store.js';

const MAX_FILTERS = 64;
const MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  made: Promise<LabelSet>;
  /** 0 until it is made. */
  bytes: number;
}

/** Label sets of one generation by filter, the least recently used dropped first. */
export class SelectionCache {
  readonly #select: (filter: string) => Promise<LabelSet>;
  readonly #kept = new Map<string, Kept>();
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
      return kept.made;
    }
    const made = this.#select(filter);
    const entry = { made, bytes: 0 };
    this.#kept.set(filter, entry);
    made.then(
      (set) => this.#weigh(filter, entry, set),
      // A filter that fails must not be remembered.
      () => this.#kept.get(filter) === entry && this.#kept.delete(filter),
    );
    return made;
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** Waits for nothing: a set that is dropped while it is being made is made all the same, and not kept. */
  #weigh(key: string, entry: Kept, set: LabelSet): void {
    if (this.#kept.get(key) !== entry) return;
    entry.bytes = set.bits.length + key.length;
    this.#bytes += entry.bytes;
    while (this.#kept.size > 1 && (this.#kept.size > MAX_FILTERS || this.#bytes > MAX_BYTES)) {
      const [oldest, { bytes }] = this.#kept.entries().next().value!;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
