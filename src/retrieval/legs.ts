import { type ErrorRecord, SluiceError, throwIfAborted, toErrorRecord, toSluiceError } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import type { LabelSet, LegResult } from '../model/store.js';
import { packTexts } from '../model/text-column.js';
import type { Stopwatch } from '../model/timings.js';
import { vectorTrouble } from '../model/vector-length.js';
import { untilAborted } from '../threads/abort-listeners.js';
import { assertAllowed } from './allowed.js';
import type { RankedLeg } from './fuse.js';
import { type FitnessRule, legFitness } from './leg-fitness.js';
import type { LegName, ResolvedSearchOptions } from './options.js';
import type { SearchedReader } from './union-reader.js';

/** What a leg did for one query. A leg that is off, unfit or failed says so in `reason`. */
export interface LegReport {
  /** Chunks that it brought. */
  readonly found: number;
  /** Its weight in the fusion; 0 if it was off, unfit or failed. */
  readonly weight: number;
  readonly reason?: string;
  /** Why the query could not be embedded. */
  readonly error?: ErrorRecord;
}

export interface LegsContext {
  readonly reader: SearchedReader;
  readonly embedder: Embedder;
  /**
   * Cuts unspaced scripts into words, the way the indexed text was cut. Asynchronous where the dictionary lives in
   * another thread: loading one takes longer than the calling thread may be held up.
   */
  readonly segment: (text: string) => string | Promise<string>;
  readonly fitness?: FitnessRule | undefined;
  readonly query: string;
  readonly options: ResolvedSearchOptions;
  readonly allowed: LabelSet;
  readonly watch: Stopwatch;
  /** Fires when the index is closed: an embedder of the caller may never answer. */
  readonly closed?: AbortSignal | undefined;
}

const LEG_NAMES = ['keywords', 'vectors'] as const;

/** The two legs of one query. The query is embedded once, however often they run. */
export class Legs {
  readonly #context: LegsContext;
  readonly #weights: Record<LegName, number>;
  readonly #reasons: Record<LegName, string | undefined> = { keywords: undefined, vectors: undefined };
  readonly #unfit: LegName[] = [];
  #error: ErrorRecord | undefined;
  #vector: Promise<Float32Array | null> | undefined;
  #found: Record<LegName, number> = { keywords: 0, vectors: 0 };

  constructor(context: LegsContext) {
    this.#context = context;
    const { options, query, embedder } = context;
    this.#weights = { ...options.legWeights };
    for (const name of LEG_NAMES) {
      if (!options.legs[name]) this.#setAside(name, 'turned off by the options');
      else if (options.legWeights[name] === 0) this.#setAside(name, 'weight 0 in the options');
    }
    this.#weigh((context.fitness ?? legFitness)(query, embedder.fingerprint));
  }

  /** Legs that are on but unfit for this query: they are not run unless asked to fill. */
  get canFill(): boolean {
    return this.#unfit.length > 0;
  }

  /**
   * Runs the legs to a depth, in chunks; the keyword leg runs while the query is being embedded. With `fill` the unfit
   * legs run too, with weight 0: their chunks come behind all others. Errors of the store are thrown; an embedder's
   * only where the vector leg was asked for by name or no other leg is left.
   */
  async run(depth: number, fill: boolean): Promise<RankedLeg[]> {
    const names = LEG_NAMES.filter((name) => this.#weights[name] > 0 || (fill && this.#unfit.includes(name)));
    const settled = await Promise.allSettled(names.map((name) => this.#runOne(name, depth)));
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const lists: RankedLeg[] = [];
    settled.forEach((one, at) => {
      const name = names[at]!;
      if (one.status !== 'fulfilled' || one.value === null) return;
      assertAllowed(one.value.labels, this.#context.allowed, `the ${name} leg`);
      this.#found[name] = one.value.labels.length;
      lists.push({ name, weight: this.#weights[name], result: one.value });
    });
    return lists;
  }

  reports(): Record<LegName, LegReport> {
    return { keywords: this.#report('keywords'), vectors: this.#report('vectors') };
  }

  #report(name: LegName): LegReport {
    const reason = this.#reasons[name];
    const error = name === 'vectors' ? this.#error : undefined;
    return {
      found: this.#found[name],
      weight: this.#weights[name],
      ...(reason === undefined ? {} : { reason }),
      ...(error === undefined ? {} : { error }),
    };
  }

  #active(): LegName[] {
    return LEG_NAMES.filter((name) => this.#weights[name] > 0);
  }

  #setAside(name: LegName, reason: string): void {
    this.#weights[name] = 0;
    this.#reasons[name] = reason;
  }

  /** A leg is only set aside where another one is fit: alone, a poor leg is better than none. */
  #weigh(unfit: Readonly<Record<LegName, string | null>>): void {
    const active = this.#active();
    const someFit = active.some((name) => unfit[name] === null);
    for (const name of active) {
      const reason = unfit[name];
      if (reason === null) continue;
      this.#reasons[name] = reason;
      if (!someFit) continue;
      this.#weights[name] = 0;
      this.#unfit.push(name);
    }
  }

  async #runOne(name: LegName, depth: number): Promise<LegResult | null> {
    const { reader, segment, query, options, allowed, watch } = this.#context;
    throwIfAborted(options.signal);
    if (name === 'keywords') {
      return watch.time('keywords', async () => reader.searchKeywords(await segment(query), depth, allowed));
    }
    this.#vector ??= this.#embed();
    const vector = await this.#vector;
    if (vector === null) return null;
    throwIfAborted(options.signal);
    return watch.time('vectors', () => reader.searchVectors(vector, depth, allowed, options.ef));
  }

  async #embed(): Promise<Float32Array | null> {
    const { embedder, query, options, watch, closed } = this.#context;
    if (options.vector) return options.vector;
    try {
      const { matrix } = await watch.time('embed', () =>
        untilAborted(
          untilAborted(embedder.embed(packTexts([query]), 'query', options.signal), options.signal),
          closed,
        ),
      );
      return checkVector(matrix, embedder);
    } catch (error) {
      throwIfAborted(options.signal);
      if (closed?.aborted) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index was closed meanwhile');
      const alone = !this.#active().some((name) => name !== 'vectors');
      const aborted = SluiceError.is(error) && error.code === 'SLUICE_ABORTED';
      if (aborted || alone || options.askedFor.vectors)
        throw toSluiceError(error, 'SLUICE_MODEL_FAILED', `the embedder ${embedder.fingerprint.name} failed`);
      this.#error = toErrorRecord(error, 'SLUICE_MODEL_FAILED');
      this.#setAside('vectors', 'the query could not be embedded');
      return null;
    }
  }
}

function checkVector(
  matrix: { rows: number; dims: number; data: Float32Array },
  embedder: Embedder,
): Float32Array {
  const { name, dims } = embedder.fingerprint;
  const fits = matrix.rows === 1 && matrix.dims === dims && matrix.data.length === dims;
  const trouble = fits
    ? vectorTrouble(matrix.data)
    : `has ${matrix.rows} × ${matrix.dims} values instead of 1 × ${dims}`;
  if (trouble === undefined) return matrix.data;
  throw new SluiceError(
    'SLUICE_EMBEDDING_INVALID',
    `the vector of embedder ${name} for the query ${trouble}`,
  );
}
