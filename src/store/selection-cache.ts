import type { LabelSet } from '../model/store.js';
import type { FilterNode } from './filter/parse.js';

const MAX_FILTERS = 64;
const MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  made: Promise<LabelSet>;
  /** 0 until it is made. */
  bytes: number;
}

/** Label sets of one generation by filter, the least recently used dropped first. */
export class SelectionCache {
  readonly #select: (filter: FilterNode | undefined) => Promise<LabelSet>;
  readonly #kept = new Map<string, Kept>();
  /** Sets of the current generation, so that searches can recognise them. */
  #ids = new WeakMap<LabelSet, number>();
  #nextId = 1;
  #bytes = 0;

  constructor(select: (filter: FilterNode | undefined) => Promise<LabelSet>) {
    this.#select = select;
  }

  get(filter: FilterNode | undefined): Promise<LabelSet> {
    const key = filter === undefined ? '' : JSON.stringify(filter);
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.made;
    }
    const made = this.#select(filter);
    const entry = { made, bytes: 0 };
    this.#kept.set(key, entry);
    made.then(
      (set) => this.#weigh(key, entry, set),
      // A filter that fails must not be remembered.
      () => this.#kept.get(key) === entry && this.#kept.delete(key),
    );
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

  /** Waits for nothing: a set that is dropped while it is being made is made all the same, and not kept. */
  #weigh(key: string, entry: Kept, set: LabelSet): void {
    if (this.#kept.get(key) !== entry) return;
    this.#ids.set(set, this.#nextId++);
    entry.bytes = set.bits.length + key.length;
    this.#bytes += entry.bytes;
    while (this.#kept.size > 1 && (this.#kept.size > MAX_FILTERS || this.#bytes > MAX_BYTES)) {
      const [oldest, { bytes }] = this.#kept.entries().next().value!;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
