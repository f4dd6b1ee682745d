import { SluiceError } from '../errors.js';
import type { LegResult } from '../model/store.js';
import { addon } from '../native/addon.js';
import type { NativeFlatVectors, NativeGraphSnapshot, NativePrecision } from '../native/contract.js';
import { ownersAt } from './branch-marks.js';
import {
  describeGraph,
  GRAPH_METRIC,
  type GraphDescription,
  graphGenerations,
  openGraph,
} from './graph-files.js';
import { mergeHits, NO_HITS } from './hits.js';
import { FIRST_GRAPH, type ResolvedStoreOptions } from './options.js';
import { type Connection, VISIBLE } from './schema.js';
import { VectorRows } from './vector-rows.js';
import { graphIdentity, isOfOtherEpoch } from './vectors-epoch.js';

const BATCH_ROWS = 4_096;
/** Threads that check a graph file when it is opened: the disk and the memory are what limits it. */
const OPENING_THREADS = 2;

export interface VectorQuery {
  query: Float32Array;
  k: number;
  bits: Uint8Array;
  /** Bits that are set. */
  count: number;
  ef: number | undefined;
}

/**
 * The vector side of a snapshot: an immutable graph in a mapped file, and the vectors that came after it (the tail),
 * which are scanned. Where either is quantised, a shortlist is scored again by the vectors of the database, so scores
 * are always those of float32. Labels of other generations may be in either: the caller's bits decide.
 */
export class VectorLeg {
  readonly #db: Connection;
  readonly #rows: VectorRows;
  readonly #folder: string;
  readonly #index: string;
  readonly #dims: number;
  readonly #options: ResolvedStoreOptions;
  #graph: { native: NativeGraphSnapshot; description: GraphDescription } | undefined;
  #tail: NativeFlatVectors;
  #tailPrecision: NativePrecision = FIRST_GRAPH.precision;
  #generation = 0;
  #maxLabel = 0;
  /** Why a graph on disk is not used. */
  problem: string | undefined;

  constructor(db: Connection, folder: string, dims: number, options: ResolvedStoreOptions) {
    this.#db = db;
    this.#rows = new VectorRows(db, dims);
    this.#folder = folder;
    this.#index = graphIdentity(db);
    this.#dims = dims;
    this.#options = options;
    this.#tail = this.#newTail();
  }

  /** Last label of the graph; 0 without one. */
  get graphedLabel(): number {
    return this.#graph?.description.maxLabel ?? 0;
  }

  get graphGeneration(): number {
    return this.#graph?.description.generation ?? 0;
  }

  async moveTo(generation: number, maxLabel: number): Promise<void> {
    const changed = await this.#openNewestGraph();
    if (!changed && generation === this.#generation) return;
    try {
      this.#fillTail(changed, generation);
    } catch (error) {
      // What is in the tail now is of no generation: the next move fills it anew.
      this.#generation = Number.POSITIVE_INFINITY;
      throw error;
    }
    this.#generation = generation;
    this.#maxLabel = maxLabel;
  }

  #fillTail(changed: boolean, generation: number): void {
    if (changed || generation < this.#generation) {
      this.#tail = this.#newTail();
      this.#append(this.graphedLabel, VISIBLE, generation);
      // A graph can be newer than this snapshot: what died in between may be missing in it.
      if (this.graphGeneration > generation)
        this.#append(0, `${VISIBLE} AND d.died <= @graphGeneration`, generation);
    } else {
      this.#append(this.#maxLabel, VISIBLE, generation);
    }
  }

  async search({ query, k, bits, count, ef }: VectorQuery): Promise<LegResult> {
    if (k === 0 || count === 0) return NO_HITS;
    const { searchEffort, searchThreads } = this.#options;
    const graph = this.#graph;
    const exact = this.#tailPrecision === 'float32' && graph?.description.precision !== 'int8';
    const wanted = exact ? k : shortlist(k);
    const effort = Math.max(ef ?? Math.max(searchEffort, 2 * k), k);
    const [tail, walked] = await Promise.all([
      this.#tail.search(query, wanted, searchThreads, bits),
      graph?.native.search(query, wanted, effort, searchThreads, bits),
    ]);
    const graphed = walked ? firstRow(walked) : NO_HITS;
    const found = mergeHits(tail, graphed, wanted);
    return exact ? found : this.#scoredExactly(query, found.labels, k);
  }

  #scoredExactly(query: Float32Array, candidates: Uint32Array, k: number): LegResult {
    const rows = this.#rows.ofLabels(candidates);
    try {
      const scores = addon().scoreRows(query, rows.data, GRAPH_METRIC);
      return mergeHits({ labels: rows.labels, scores }, NO_HITS, k);
    } catch (error) {
      throw this.#rows.refused(rows, error);
    }
  }

  #append(label: number, condition: string, generation: number): void {
    const parameters = { generation, graphGeneration: this.graphGeneration };
    for (const rows of this.#rows.ofDocuments(label, condition, parameters, BATCH_ROWS)) {
      try {
        this.#tail.append(rows.labels, rows.data);
      } catch (error) {
        throw this.#rows.refused(rows, error);
      }
    }
  }

  /** @returns whether another graph is in use than before */
  async #openNewestGraph(): Promise<boolean> {
    // The writer removes older snapshots: a file that has vanished means that there is a newer one to look for.
    for (let attempt = 0; attempt < 3; attempt++) {
      this.problem = undefined;
      for (const generation of graphGenerations(this.#folder)) {
        if (generation === this.graphGeneration) return false;
        try {
          const owners = ownersAt(this.#db, 'graph', this.#index, generation);
          const description = describeGraph(this.#folder, generation, owners, this.#dims);
          this.#graph = {
            native: await openGraph(this.#folder, description, OPENING_THREADS),
            description,
          };
          return true;
        } catch (error) {
          if (SluiceError.is(error) && isOfOtherEpoch(this.#db, error.details.owner)) continue;
          this.problem ??= (error as Error).message;
        }
      }
      if (this.problem === undefined) break;
    }
    const had = this.#graph !== undefined;
    this.#graph = undefined;
    return had;
  }

  #newTail(): NativeFlatVectors {
    this.#tailPrecision =
      this.#options.vectorPrecision ?? this.#graph?.description.precision ?? FIRST_GRAPH.precision;
    return addon().FlatVectors.create(this.#dims, GRAPH_METRIC, this.#tailPrecision);
  }
}

/**
 * Candidates that are scored again: quantising moves a vector by a few ranks, so a few times k for small k, and a margin
 * for large ones.
 */
export function shortlist(k: number): number {
  return Math.max(64, Math.min(4 * k, k + 192));
}

function firstRow({ labels, scores, counts }: LegResult & { counts: Uint32Array }): LegResult {
  return { labels: labels.subarray(0, counts[0]), scores: scores.subarray(0, counts[0]) };
}
