import { SluiceError, throwIfAborted } from '../errors.js';
import {
  type Embedder,
  type EmbedderFingerprint,
  type EmbeddingCost,
  type EmbedResult,
  emptyCost,
} from '../model/embedder.js';
import { packTexts, type TextColumn, textAt, textCount } from '../model/text-column.js';
import { copyChecked } from './check-vectors.js';

/** What a source of vectors outside this process, or of the caller's making, returns for one batch. */
export interface VectorBatch {
  /** One for each text, in order. Checked, never trusted. */
  vectors: ArrayLike<unknown>;
  /** Tokens that a model read, if the source tells; otherwise 0. */
  tokens: number;
}

export interface BatchedEmbedderOptions {
  fingerprint: EmbedderFingerprint;
  /** Names the source in errors. */
  source: string;
  /** Texts of one call. */
  batchSize: number;
  /** Calls under way at once. */
  concurrency: number;
  embedBatch(texts: string[], purpose: 'passage' | 'query', signal: AbortSignal): Promise<VectorBatch>;
  /** Tokens of each text, to notice what a model with a window of `fingerprint.windowTokens` will cut. */
  countTokens?: ((texts: TextColumn) => ArrayLike<number>) | undefined;
}

/** An embedder over batches of strings: prefixes, order, checks and truncation counts, whatever makes the vectors. */
export class BatchedEmbedder implements Embedder {
  readonly fingerprint: EmbedderFingerprint;
  readonly #options: BatchedEmbedderOptions;
  #closed = false;

  constructor(options: BatchedEmbedderOptions) {
    this.#options = options;
    this.fingerprint = options.fingerprint;
  }

  async embed(
    texts: TextColumn,
    purpose: 'passage' | 'query',
    signal: AbortSignal = new AbortController().signal,
  ): Promise<EmbedResult> {
    throwIfAborted(signal);
    if (this.#closed) throw new SluiceError('SLUICE_ABORTED', `${this.fingerprint.name} was closed`);
    const rows = textCount(texts);
    const { dims } = this.fingerprint;
    const data = new Float32Array(rows * dims);
    const cost = emptyCost();
    let next = 0;
    const work = async () => {
      while (next < rows) {
        const from = next;
        next = Math.min(rows, from + this.#options.batchSize);
        await this.#embedRange(texts, from, next, purpose, signal, data, cost);
      }
    };
    const workers = Array.from({ length: this.#options.concurrency }, work);
    // After a failure nobody takes another batch, and none is left running unobserved.
    for (const worker of workers) worker.catch(() => (next = rows));
    await Promise.allSettled(workers);
    await Promise.all(workers);
    return { matrix: { rows, dims, data }, cost };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #embedRange(
    texts: TextColumn,
    from: number,
    to: number,
    purpose: 'passage' | 'query',
    signal: AbortSignal,
    data: Float32Array,
    cost: EmbeddingCost,
  ): Promise<void> {
    const { fingerprint, source } = this.#options;
    const prefix = purpose === 'query' ? fingerprint.queryPrefix : fingerprint.passagePrefix;
    const batch = Array.from({ length: to - from }, (_, i) => prefix + textAt(texts, from + i));
    const started = performance.now();
    const { vectors, tokens } = await this.#options.embedBatch(batch, purpose, signal);
    throwIfAborted(signal);
    cost.inferenceMs += performance.now() - started;
    cost.tokens += tokens;
    const { dims, normalized } = fingerprint;
    copyChecked(data, vectors, { rows: to - from, dims, firstRow: from, unit: normalized, source });
    this.#countTruncated(batch, cost);
  }

  #countTruncated(batch: string[], cost: EmbeddingCost): void {
    const counts = this.#options.countTokens?.(packTexts(batch)) ?? [];
    for (let i = 0; i < counts.length; i++) {
      const over = counts[i]! - this.fingerprint.windowTokens;
      if (over <= 0) continue;
      cost.truncatedTexts++;
      cost.truncatedTokens += over;
    }
  }
}
