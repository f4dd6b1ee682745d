import type { Label, StoredChunk } from '../model/store.js';
import type { Gathered } from './gather.js';
import type { RankedChunk } from './hit.js';
import type { LegName } from './options.js';
import type { Ranking } from './rank.js';

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
export function toTrace(
  gathered: Gathered,
  ranking: Ranking,
  chunks: ReadonlyMap<Label, StoredChunk>,
): Trace {
  const places = (labels: Iterable<Label>, scores: (at: number) => number): TracePlace[] =>
    Array.from(labels, (label, at) => ({
      chunk: chunks.get(label),
      rank: at + 1,
      score: scores(at),
    })).flatMap(({ chunk, rank, score }) => (chunk === undefined ? [] : [{ ...ids(chunk), rank, score }]));
  const leg = (name: LegName) => {
    const list = gathered.lists.find((one) => one.name === name);
    return list === undefined ? [] : places(list.result.labels, (at) => list.result.scores[at]!);
  };
  return {
    keywords: leg('keywords'),
    vectors: leg('vectors'),
    fused: places(
      gathered.candidates.map(({ label }) => label),
      (at) => gathered.candidates[at]!.score,
    ),
    reranked: ranking.ranked.flatMap((ranked, at) =>
      ranked.blend === null ? [] : [toReranked(ranked, at + 1)],
    ),
    setAside: ranking.setAside.map(({ row, reason, because }) => ({
      ...ids(ranking.ranked[row]!.chunk),
      reason,
      becauseOf: ranking.ranked[because]!.chunk.chunkId,
    })),
  };
}

function toReranked({ chunk, logit, blend }: RankedChunk, rank: number): TraceReranked {
  return { ...ids(chunk), rank, logit, blend };
}

function ids({ chunkId, documentId, index }: StoredChunk): TracedChunk {
  return { chunkId, documentId, ...(index !== undefined && { index }) };
}
