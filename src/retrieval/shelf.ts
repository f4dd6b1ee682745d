import { throwIfAborted } from '../errors.js';
import type { Label, StoredChunk } from '../model/store.js';
import type { Stopwatch } from '../model/timings.js';
import type { SearchedReader } from './union-reader.js';

/** The chunks that one search has fetched: each label is asked of the store once, and only when it is needed. */
export class Shelf {
  readonly #reader: SearchedReader;
  readonly #watch: Stopwatch;
  readonly #signal: AbortSignal | undefined;
  readonly #chunks = new Map<Label, StoredChunk>();
  readonly #asked = new Set<Label>();

  constructor(reader: SearchedReader, watch: Stopwatch, signal: AbortSignal | undefined) {
    this.#reader = reader;
    this.#watch = watch;
    this.#signal = signal;
  }

  /** Everything fetched so far, these labels included; a label that is no longer live has no entry. */
  async fetch(labels: readonly Label[]): Promise<ReadonlyMap<Label, StoredChunk>> {
    throwIfAborted(this.#signal);
    const unknown = [...new Set(labels)].filter((label) => !this.#asked.has(label));
    if (unknown.length === 0) return this.#chunks;
    const found = await this.#watch.time('fetch', () => this.#reader.chunks(Uint32Array.from(unknown)));
    for (const label of unknown) this.#asked.add(label);
    for (const chunk of found) this.#chunks.set(chunk.label, chunk);
    return this.#chunks;
  }
}
