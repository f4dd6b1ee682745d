import { throwIfAborted } from '../errors.js';
import type { Label, StoredChunk } from '../model/store.js';
import type { Stopwatch } from '../model/timings.js';
import { eachStep, inPieces, type Steps } from './steps.js';
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

  /** Each once; they count as asked for from then on. */
  *#unasked(labels: readonly Label[]): Steps<Uint32Array> {
    const unknown = new Uint32Array(labels.length);
    let count = 0;
    yield* eachStep(labels, (label) => {
      if (this.#asked.has(label)) return;
      this.#asked.add(label);
      unknown[count++] = label;
    });
    return unknown.slice(0, count);
  }

  /** Everything fetched so far, these labels included; a label that is no longer live has no entry. */
  async fetch(labels: readonly Label[]): Promise<ReadonlyMap<Label, StoredChunk>> {
    throwIfAborted(this.#signal);
    const unknown = await inPieces(this.#unasked(labels));
    if (unknown.length === 0) return this.#chunks;
    await this.#watch.time('fetch', async () => {
      const found = await this.#reader.chunks(unknown);
      await inPieces(eachStep(found, (chunk) => this.#chunks.set(chunk.label, chunk)));
    });
    return this.#chunks;
  }
}
