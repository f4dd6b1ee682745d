import { addon } from '../native/addon.js';
import type { NativeGraph } from '../native/contract.js';
import { addMark, markedOwner, ownersAt } from './branch-marks.js';
import { makeFolder } from './durable-folder.js';
import {
  checkGraph,
  describeGraph,
  GRAPH_METRIC,
  type GraphDescription,
  graphGenerations,
  loadGraph,
  removeGraph,
  removeOtherGraphs,
  saveGraph,
} from './graph-files.js';
import { FIRST_GRAPH, type ResolvedStoreOptions } from './options.js';
import { type Connection, lastLabel, readSetting, writeSetting } from './schema.js';
import { VectorRows } from './vector-rows.js';
import { graphIdentity, vectorsEpoch } from './vectors-epoch.js';

const BATCH_ROWS = 2_048;
/** A tail below this share of the live vectors is left to the exact scan. */
const TAIL_SHARE = 0.1;
/** Below this share of live vectors, a graph is built anew instead of extended. */
const LIVE_SHARE = 0.5;
/** Setting: links, effort and precision of the graph that was built last. */
const SHAPE = 'graphShape';
/** The same insertion order gives the same graph. */
const SEED = 1;

type GraphShape = Pick<GraphDescription, keyof typeof FIRST_GRAPH>;

/** The writer's side of the graph: decides when it is worth extending, and does it. */
export class GraphPublisher {
  readonly #db: Connection;
  readonly #folder: string;
  readonly #options: ResolvedStoreOptions;
  readonly #dims: number;
  readonly #index: string;
  /** Files of the graph that `publishNext` built. */
  #next: string[] = [];
  /** Whether this writer has checked the bytes of the newest snapshot. */
  #checked = false;

  constructor(db: Connection, folder: string, options: ResolvedStoreOptions, dims: number) {
    this.#db = db;
    this.#folder = folder;
    this.#options = options;
    this.#dims = dims;
    this.#index = graphIdentity(db);
  }

  /**
   * Brings the graph up to the newest generation if enough vectors wait outside it. Loads the last graph, inserts
   * what is missing, saves it as a new snapshot; holds no graph in memory afterwards.
   * @param anew builds it from the live vectors alone, or removes it where they are too few for one
   * @param makeRoom called before memory is taken for a graph
   */
  async publish(anew = false, makeRoom?: () => Promise<void>): Promise<void> {
    const newest = await this.#newest();
    const { links, effort, precision } = this.#shape(newest);
    const isAsAsked = newest?.precision === precision && newest.links === links && newest.effort === effort;
    // A graph of another precision or shape is not extended but built anew.
    const last = isAsAsked && !anew ? newest : undefined;
    const live = this.#liveChunks(lastLabel(this.#db));
    const inGraph = last ? this.#liveChunks(last.maxLabel) : 0;
    const { graphThreshold, threads } = this.#options;
    if (live - inGraph <= (last ? Math.max(graphThreshold, live * TAIL_SHARE) : graphThreshold)) {
      if (anew)
        for (const generation of graphGenerations(this.#folder)) removeGraph(this.#folder, generation);
      return;
    }
    await makeRoom?.();
    const base = last && inGraph >= last.count * LIVE_SHARE ? last : undefined;
    const graph = base
      ? await loadGraph(this.#folder, base, threads)
      : this.#create(this.#dims, { links, effort, precision });
    await this.#insert(graph, new VectorRows(this.#db, this.#dims), base?.maxLabel ?? 0);
    removeOtherGraphs(this.#folder, await this.#save(graph, this.#index, { links, effort, precision }));
    this.#checked = true;
  }

  /**
   * Builds the graph of a re-embedding that is about to be finished, beside the one in use, so that nobody has to scan
   * all new vectors once it is. No graph may be of the present generation. Does nothing where the vectors are too few.
   * @param dims of the new vectors
   */
  async publishNext(dims: number, makeRoom: () => Promise<void>): Promise<void> {
    if (this.#liveChunks(lastLabel(this.#db)) <= this.#options.graphThreshold) return;
    const shape = this.#shape(await this.#newest());
    await makeRoom();
    const graph = this.#create(dims, shape);
    await this.#insert(graph, new VectorRows(this.#db, dims, 'vectors_next'), 0);
    this.#next = await this.#save(graph, graphIdentity(this.#db, vectorsEpoch(this.#db) + 1), shape);
  }

  #create(dims: number, { links, effort, precision }: GraphShape): NativeGraph {
    // Vectors of a large graph go into a nameless file there.
    makeFolder(this.#folder);
    return addon().VectorGraph.create(dims, GRAPH_METRIC, precision, links, effort, SEED, this.#folder);
  }

  async #insert(graph: NativeGraph, rows: VectorRows, after: number): Promise<void> {
    for (const batch of rows.ofDocuments(after, 'd.died IS NULL', {}, BATCH_ROWS)) {
      try {
        await graph.insert(batch.labels, batch.data, this.#options.threads);
      } catch (error) {
        throw rows.refused(batch, error);
      }
    }
  }

  async #save(graph: NativeGraph, owner: string, shape: GraphShape): Promise<string[]> {
    makeFolder(this.#folder);
    const generation = readSetting<number>(this.#db, 'generation')!;
    const files = await saveGraph(this.#folder, graph, shape.precision, {
      index: markedOwner(owner, addMark(this.#db, 'graph', generation)),
      generation,
      maxLabel: lastLabel(this.#db),
    });
    writeSetting(this.#db, SHAPE, JSON.stringify(shape));
    return files;
  }

  /** How the next graph is to be: as the caller says, else as the last one was, which need not be there any more. */
  #shape(newest: GraphDescription | undefined): GraphShape {
    const { vectorPrecision, graphLinks, graphEffort } = this.#options;
    const stored = readSetting<string>(this.#db, SHAPE);
    const last = newest ?? (stored === undefined ? undefined : (JSON.parse(stored) as typeof FIRST_GRAPH));
    const links = graphLinks ?? last?.links ?? FIRST_GRAPH.links;
    return {
      links,
      effort: Math.max(graphEffort ?? last?.effort ?? FIRST_GRAPH.effort, links),
      precision: vectorPrecision ?? last?.precision ?? FIRST_GRAPH.precision,
    };
  }

  /**
   * Once a re-embedding is finished, all graphs but the next one are of the old vectors. Tells nobody when a file cannot
   * be removed: it is known by its epoch.
   */
  moveToNext(): void {
    try {
      removeOtherGraphs(this.#folder, this.#next);
    } catch {
      // There is none, or the system keeps it.
    }
  }

  /** The newest sound snapshot; damaged and foreign ones are removed. */
  async #newest(): Promise<GraphDescription | undefined> {
    for (const generation of graphGenerations(this.#folder)) {
      try {
        const owners = ownersAt(this.#db, 'graph', this.#index, generation);
        const description = describeGraph(this.#folder, generation, owners, this.#dims);
        if (!this.#checked) await checkGraph(this.#folder, description);
        this.#checked = true;
        return description;
      } catch {
        removeGraph(this.#folder, generation);
      }
    }
    return undefined;
  }

  /** Live chunks with labels up to `maxLabel`, which is the last label of some commit. */
  #liveChunks(maxLabel: number): number {
    const sql = 'SELECT coalesce(sum(chunk_count), 0) FROM documents WHERE died IS NULL AND first_label <= ?';
    return this.#db.prepare(sql).pluck().get(maxLabel) as number;
  }
}
