/**
 * Query → hits. Answers "which few passages of this index answer that question, and why these?".
 *
 * The way: filter → keyword leg ∥ (embed → vector leg) → reciprocal rank fusion → fetch → rerank → dedupe → cut. The
 * stages are arguments (a StoreReader, an Embedder, a Reranker, a segmenter), so the same code serves a local index
 * and a remote one.
 *
 * Costs: one model call for the query, two index searches, the text of about 2k chunks; reranking a shortlist of 20 is
 * by far the dearest stage. Nothing is kept between searches.
 *
 * Not for: opening indexes, loading models, packing a prompt (context/), measuring quality (evaluation/).
 */
export { isAllowed } from './allowed.js';
export { blend, type Signals } from './blend.js';
export { type DedupeOptions, dedupe, type Selection, type SetAside, type Span } from './dedupe.js';
export { type Candidate, fuse, type LegPlace, RANK_CONSTANT, type RankedLeg } from './fuse.js';
export { MAX_DEPTH_CHUNKS } from './gather.js';
export { type Hit, type HitScores, hitTitle } from './hit.js';
export { type FitnessRule, type LegFitness, legFitness, readsScript } from './leg-fitness.js';
export type { LegReport } from './legs.js';
export {
  type BlendWeights,
  type Collapse,
  DEFAULT_SEARCH_OPTIONS,
  type LegName,
  type ResolvedSearchOptions,
  type SearchOptions,
} from './options.js';
export { isQuestion } from './question.js';
export { wantsRerank } from './rank.js';
export { type SearchRequest, type SearchResult, search } from './search.js';
export { standardise } from './standardise.js';
export type { Trace, TracePlace, TraceReranked, TraceSetAside } from './trace.js';
export { type NamedReader, type SearchedReader, UnionReader } from './union-reader.js';
export { MAX_QUERY_CHARACTERS, resolveSearchOptions } from './validate.js';
