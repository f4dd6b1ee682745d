import type { LegResult } from '../model/store.js';
import { addon } from '../native/addon.js';
import type { NativeFlatVectors, NativeGraph } from '../native/contract.js';
import {
  describeGraph,
  GRAPH_METRIC,
  type GraphDescription,
  graphGenerations,
  loadGraph,
} from './graph-files.js';
import { mergeHits, NO_HITS } from './hits.js';
import { countUpTo, labelsIn } from './label-bits.js';
import type { ResolvedStoreOptions } from './options.js';
import { type Connection, VISIBLE } from './schema.js';
import { VectorRows } from './vector-rows.js';
import { graphIdentity } from './vectors-epoch.js';

/** Rows of narrow filters that are kept for the next query, over all filters. */
const KEPT_ROWS = 65_536;
const BATCH_ROWS = 4_096;
/** A second walk looks at this many times more candidates before an exact scan is made. */
const WIDER = 8;

export interface VectorQuery {
  query: Float32Array;
  k: number;
  bits: Uint8Array;
  /** Bits that are set. */
  count: number;
  ef: number | undefined;
  /** Equal numbers mean equal bits; undefined where that is not known. */
  setId: number | undefined;
}

/**
 * The vector side of a snapshot: an immutable graph, and the vectors that came after it (the tail), which are scanned
 * exactly. Labels of other generations may be in either: the caller's bits decide.
 */
export class VectorLeg {
  readonly #rows: VectorRows;
  readonly #folder: string;
  readonly #index: string;
  readonly #dims: number;
  readonly #options: ResolvedStoreOptions;
  readonly #narrow = new Map<number, NativeFlatVectors>();
  #graph: { native: NativeGraph; description: GraphDescription } | undefined;
  #tail: NativeFlatVectors;
  #generation = 0;
  #maxLabel = 0;
  /** Why a graph on disk is not used. */
  problem: string | undefined;

  constructor(db: Connection, folder: string, dims: number, options: ResolvedStoreOptions) {
    this.#rows = new VectorRows(db, dims);
    this.#folder = folder;
    this.#index = graphIdentity(db);
    this.#dims = dims;
    this.#options = options;
    this.#tail = this.#flat();
  }

  /** Last label of the graph; 0 without one. */
  get graphedLabel(): number {
    return this.#graph?.description.maxLabel ?? 0;
  }

  get graphGeneration(): number {
    return this.#graph?.description.generation ?? 0;
  }

  async moveTo(generation: number, maxLabel: number): Promise<void> {
    const changed = await this.#loadNewestGraph();
    if (!changed && generation === this.#generation) return;
    this.#narrow.clear();
    if (changed || generation < this.#generation) {
      this.#tail = this.#flat();
      this.#append(this.graphedLabel, VISIBLE, generation);
      // A graph can be newer than this snapshot: what died in between may be missing in it.
      if (this.graphGeneration > generation)
        this.#append(0, `${VISIBLE} AND d.died <= @graphGeneration`, generation);
    } else {
      this.#append(this.#maxLabel, VISIBLE, generation);
    }
    this.#generation = generation;
    this.#maxLabel = maxLabel;
  }

  async search({ query, k, bits, count, ef, setId }: VectorQuery): Promise<LegResult> {
    if (k === 0 || count === 0) return NO_HITS;
    const tail = await this.#tail.search(query, k, this.#options.searchThreads, bits);
    if (!this.#graph) return mergeHits(tail, NO_HITS, k);
    const graphed = countUpTo(bits, this.graphedLabel);
    if (graphed === 0) return mergeHits(tail, NO_HITS, k);
    if (graphed <= this.#options.exactLabels)
      return mergeHits(tail, await this.#scanNarrow(query, k, bits, graphed, setId), k);
    const effort = Math.max(ef ?? Math.max(this.#options.searchEffort, 2 * k), k);
    const wanted = Math.min(k, count);
    for (const width of [effort, effort * WIDER]) {
      const walked = mergeHits(tail, await this.#walk(query, k, bits, width), k);
      if (walked.labels.length >= wanted) return walked;
    }
    return mergeHits(tail, await this.#scanAll(query, k, bits), k);
  }

  async #walk(query: Float32Array, k: number, bits: Uint8Array, ef: number): Promise<LegResult> {
    const { labels, scores, counts } = await this.#graph!.native.search(query, k, ef, 1, bits);
    return { labels: labels.subarray(0, counts[0]), scores: scores.subarray(0, counts[0]) };
  }

  async #scanNarrow(
    query: Float32Array,
    k: number,
    bits: Uint8Array,
    rows: number,
    setId: number | undefined,
  ): Promise<LegResult> {
    let flat = setId === undefined ? undefined : this.#narrow.get(setId);
    if (!flat) {
      flat = this.#flat();
      for (const batch of this.#rows.ofLabels(labelsIn(bits, this.graphedLabel), rows)) {
        flat.append(batch.labels, batch.data);
      }
      if (setId !== undefined) this.#keep(setId, flat);
    }
    return flat.search(query, k, this.#options.searchThreads, bits);
  }

  /** Exact over everything allowed in the graph, in batches: slow, and only where walking found too few. */
  async #scanAll(query: Float32Array, k: number, bits: Uint8Array): Promise<LegResult> {
    let best = NO_HITS;
    for (const batch of this.#rows.ofLabels(labelsIn(bits, this.graphedLabel), BATCH_ROWS)) {
      const flat = this.#flat();
      flat.append(batch.labels, batch.data);
      best = mergeHits(best, await flat.search(query, k, this.#options.searchThreads, bits), k);
    }
    return best;
  }

  #keep(setId: number, flat: NativeFlatVectors): void {
    this.#narrow.set(setId, flat);
    let rows = 0;
    for (const { size } of this.#narrow.values()) rows += size;
    for (const [oldest, { size }] of this.#narrow) {
      if (rows <= KEPT_ROWS) return;
      this.#narrow.delete(oldest);
      rows -= size;
    }
  }

  #append(label: number, condition: string, generation: number): void {
    const parameters = { generation, graphGeneration: this.graphGeneration };
    for (const { labels, data } of this.#rows.ofDocuments(label, condition, parameters, BATCH_ROWS)) {
      this.#tail.append(labels, data);
    }
  }

  /** @returns whether another graph is in use than before */
  async #loadNewestGraph(): Promise<boolean> {
    // The writer removes older snapshots: a file that has vanished means that there is a newer one to look for.
    for (let attempt = 0; attempt < 3; attempt++) {
      this.problem = undefined;
      for (const generation of graphGenerations(this.#folder)) {
        if (generation === this.graphGeneration) return false;
        try {
          const description = describeGraph(this.#folder, generation, this.#index, this.#dims);
          this.#graph = { native: await loadGraph(this.#folder, description), description };
          return true;
        } catch (error) {
          this.problem ??= (error as Error).message;
        }
      }
      if (this.problem === undefined) break;
    }
    const had = this.#graph !== undefined;
    this.#graph = undefined;
    return had;
  }

  #flat(): NativeFlatVectors {
    return addon().FlatVectors.create(this.#dims, GRAPH_METRIC);
  }
}
