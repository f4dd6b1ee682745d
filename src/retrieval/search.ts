import { type ErrorRecord, SluiceError, throwIfAborted } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import type { Reranker } from '../model/reranker.js';
import type { Label, LabelSet, StoredChunk } from '../model/store.js';
import { type StageTiming, type StageTimings, Stopwatch } from '../model/timings.js';
import { assertAllowed } from './allowed.js';
import { type Gathered, gather } from './gather.js';
import { type Hit, toHit } from './hit.js';
import type { FitnessRule } from './leg-fitness.js';
import { type LegReport, Legs } from './legs.js';
import type { LegName, ResolvedSearchOptions, SearchOptions } from './options.js';
import { type Ranking, rankCandidates } from './rank.js';
import { Shelf } from './shelf.js';
import { inPieces, mapSteps, type Steps } from './steps.js';
import { type Trace, toTrace } from './trace.js';
import type { SearchedReader } from './union-reader.js';
import { checkQuery, resolveSearchOptions } from './validate.js';

export interface SearchRequest {
  /** One generation of an index; it stays the caller's to close. */
  readonly reader: SearchedReader;
  /** The model that the index was made with, never another one. */
  readonly embedder: Embedder;
  readonly reranker?: Reranker | undefined;
  /** Cuts unspaced scripts into words, the way the indexed text was cut; asynchronous where that is done elsewhere. */
  readonly segment: (text: string) => string | Promise<string>;
  /** Decides which legs fit the query. Default: `legFitness`. */
  readonly fitness?: FitnessRule | undefined;
  /** Fires when the index is closed. */
  readonly closed?: AbortSignal | undefined;
  readonly query: string;
  readonly options?: SearchOptions | undefined;
}

export interface SearchResult {
  readonly query: string;
  /** Best first, at most k. */
  readonly hits: readonly Hit[];
  readonly reranked: boolean;
  /** Why the reranker failed; the hits are then in fused order. */
  readonly rerankError?: ErrorRecord;
  readonly legs: Readonly<Record<LegName, LegReport>>;
  /** filter, embed, keywords, vectors, fuse, fetch, rerank, dedupe: those that ran. Embed and keywords overlap. */
  readonly timings: StageTimings;
  /** The generation that the hits are of. */
  readonly generation: number;
  /**
   * What is wrong with the index and how this answer came about all the same, in sentences: a damaged graph that was left
   * aside, keywords that were built anew. Empty for a sound one. `stats` tells the same.
   */
  readonly problems: readonly string[];
  /** With `explain` only. */
  readonly trace?: Trace;
}

/**
 * Answers a query with the k best chunks: filter, both legs, fuse, rerank, dedupe, cut. k hits come back whenever
 * that many allowed chunks were found; each is allowed by the filter, or SLUICE_INTERNAL is thrown.
 * Throws SLUICE_USAGE for an empty query or a wrong option, SLUICE_FILTER_* for a wrong filter, SLUICE_ABORTED, and
 * what the store throws. A failing model is thrown only where no other way is left or the caller asked for it by name.
 */
export async function search(request: SearchRequest): Promise<SearchResult> {
  const { reader, reranker } = request;
  const options = resolveSearchOptions(request.options);
  const query = checkQuery(request.query);
  if (options.rerank === true && reranker === undefined) {
    throw new SluiceError('SLUICE_USAGE', 'rerank is true, but there is no reranker', {
      hint: "give one, or use 'auto'",
    });
  }
  throwIfAborted(options.signal);
  const watch = new Stopwatch();
  const allowed = await watch.time('filter', () => reader.select(options.filter));
  const { generation } = reader;
  const context = { ...request, query, options, allowed, watch, reranker };
  const legs = new Legs(context);
  const shelf = new Shelf(reader, watch, options.signal);
  const idle = options.k === 0 || allowed.count === 0;
  const gathered = idle ? NOTHING : await gather(context, legs, shelf);
  const ranking = await rankCandidates(gathered.candidates, { ...context, shelf });
  const parents = options.collapse === 'parent' ? await parentsOf(ranking, reader, watch) : undefined;
  const hits = await inPieces(toHits(ranking, allowed, parents));
  const trace = options.explain ? await explain(gathered, ranking, shelf) : undefined;
  throwIfAborted(options.signal);
  return {
    query,
    hits,
    reranked: ranking.reranked,
    ...(ranking.rerankError === undefined ? {} : { rerankError: ranking.rerankError }),
    legs: idle ? await idleReports(options, reader) : legs.reports(),
    timings: summed(watch.timings()),
    generation,
    problems: reader.problems,
    ...(trace === undefined ? {} : { trace }),
  };
}

const NOTHING: Gathered = { lists: [], candidates: [] };

function* toHits(
  { chosen }: Ranking,
  allowed: LabelSet,
  parents: ReadonlyMap<Label, StoredChunk> | undefined,
): Steps<Hit[]> {
  return yield* mapSteps(chosen, (ranked, at) => {
    const { label } = ranked.chunk;
    assertAllowed([label], allowed, 'the answer');
    return toHit(ranked, at + 1, parents?.get(label));
  });
}

/** A parent is of its child's document, so whatever allows the one allows the other. */
async function parentsOf(
  { chosen }: Ranking,
  reader: SearchedReader,
  watch: Stopwatch,
): Promise<ReadonlyMap<Label, StoredChunk>> {
  const labels = Uint32Array.from(chosen, ({ chunk }) => chunk.label);
  const found = await watch.time('fetch', () => reader.parents(labels));
  return new Map(found.map((parent) => [parent.label, parent]));
}

async function explain(gathered: Gathered, ranking: Ranking, shelf: Shelf): Promise<Trace> {
  const labels = gathered.lists.flatMap(({ result }) => Array.from(result.labels));
  return inPieces(toTrace(gathered, ranking, await shelf.fetch(labels)));
}

async function idleReports(
  { k, filter }: ResolvedSearchOptions,
  reader: SearchedReader,
): Promise<Record<LegName, LegReport>> {
  const isEmpty = async () => filter === undefined || (await reader.select(undefined)).count === 0;
  const reason = k === 0 ? 'k is 0' : (await isEmpty()) ? 'the index is empty' : 'the filter allows no chunk';
  const report = { found: 0, weight: 0, reason };
  return { keywords: report, vectors: report };
}

/** One entry a stage, in the order in which stages first ended: paged fetches and deeper legs add up. */
function summed({ totalMs, stages }: StageTimings): StageTimings {
  const sums = new Map<string, StageTiming>();
  for (const { stage, ms } of stages) sums.set(stage, { stage, ms: (sums.get(stage)?.ms ?? 0) + ms });
  return { totalMs, stages: [...sums.values()] };
}
