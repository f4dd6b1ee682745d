import type { Label, StoredChunk } from '../model/store.js';
import type { Gathered } from './gather.js';
import type { RankedChunk } from './hit.js';
import type { LegName } from './options.js';
import type { Ranking } from './rank.js';
import { eachStep, mapSteps, type Steps } from './steps.js';

interface TracedChunk {
  readonly chunkId: string;
  readonly documentId: string;
  /** Which index it is of, where several were searched. */
  readonly index?: string;
}

/** A chunk in a list: its rank (from 1) and its score there. */
export interface TracePlace extends TracedChunk {
  readonly rank: number;
  readonly score: number;
}

/** A chunk of the reranked shortlist, in its new order. */
export interface TraceReranked extends TracedChunk {
  readonly rank: number;
  readonly logit: number | null;
  readonly blend: number | null;
}

/** A chunk that dedupe passed over, and the better one that has its place. */
export interface TraceSetAside extends TracedChunk {
  readonly reason: 'overlap' | 'perDocument';
  readonly becauseOf: string;
}

/** What every stage made of the candidates: tells which stage lost an answer. */
export interface Trace {
  /** The legs' own lists; chunks, also where hits are documents. */
  readonly keywords: readonly TracePlace[];
  readonly vectors: readonly TracePlace[];
  /** All candidates by RRF. */
  readonly fused: readonly TracePlace[];
  /** Empty if the answer was not reranked. */
  readonly reranked: readonly TraceReranked[];
  readonly setAside: readonly TraceSetAside[];
}

/** `chunks` holds every candidate; one that vanished since is left out. */
export function* toTrace(
  { lists, candidates }: Gathered,
  { ranked, setAside }: Ranking,
  chunks: ReadonlyMap<Label, StoredChunk>,
): Steps<Trace> {
  const placesOf = (name: LegName) => {
    const list = lists.find((one) => one.name === name);
    return placeSteps(list?.result.labels ?? [], (at) => list!.result.scores[at]!, chunks);
  };
  const keywords = yield* placesOf('keywords');
  const vectors = yield* placesOf('vectors');
  const labels = yield* mapSteps(candidates, ({ label }) => label);
  const fused = yield* placeSteps(labels, (at) => candidates[at]!.score, chunks);
  const reranked: TraceReranked[] = [];
  yield* eachStep(ranked, (one, at) => {
    if (one.blend !== null) reranked.push(toReranked(one, at + 1));
  });
  const passedOver = yield* mapSteps(setAside, ({ row, reason, because }) => ({
    ...ids(ranked[row]!.chunk),
    reason,
    becauseOf: ranked[because]!.chunk.chunkId,
  }));
  return { keywords, vectors, fused, reranked, setAside: passedOver };
}

function* placeSteps(
  labels: Iterable<Label>,
  scoreAt: (at: number) => number,
  chunks: ReadonlyMap<Label, StoredChunk>,
): Steps<TracePlace[]> {
  const places: TracePlace[] = [];
  yield* eachStep(labels, (label, at) => {
    const chunk = chunks.get(label);
    if (chunk !== undefined) places.push({ ...ids(chunk), rank: at + 1, score: scoreAt(at) });
  });
  return places;
}

function toReranked({ chunk, logit, blend }: RankedChunk, rank: number): TraceReranked {
  return { ...ids(chunk), rank, logit, blend };
}

function ids({ chunkId, documentId, index }: StoredChunk): TracedChunk {
  return { chunkId, documentId, ...(index !== undefined && { index }) };
}
