import type { Label, LegResult } from '../model/store.js';
import type { LegName } from './options.js';
import { atOnce, eachStep, mapSteps, type Steps, sortSteps } from './steps.js';

/** The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). */
export const RANK_CONSTANT = 60;

/** One leg's list, best first, and how much its ranks count (0 or more). */
export interface RankedLeg {
  readonly name: LegName;
  readonly weight: number;
  readonly result: LegResult;
}

/**
 * Where a leg had a candidate: its own score (BM25 or cosine), and the rank, 1 + how many scored better. Equal scores
 * share a rank: otherwise the order in which two equal texts were indexed would decide between them.
 */
export interface LegPlace {
  readonly rank: number;
  readonly score: number;
}

/** A chunk that at least one leg found, with what each leg said about it. */
export interface Candidate {
  readonly label: Label;
  /** Sum over the legs of weight / (60 + rank); 0 if only legs of weight 0 found it. */
  readonly rrf: number;
  /** What candidates are ordered by: `rrf`, or the blend of `blendLegs`. */
  readonly score: number;
  /** The best of its ranks, from 1. */
  readonly bestRank: number;
  readonly places: Readonly<Record<LegName, LegPlace | null>>;
}

/**
 * Reciprocal rank fusion, keyed by label: score = Σ weight / (constant + rank). First in the keyword leg and fourth in
 * the vector leg is 1/61 + 1/64 ≈ 0.0320. The order is total (score, then best rank, then label), so equal scores come
 * out the same way in every run; `settleTies` makes it independent of labels where documents are known. A leg names a
 * label once; should it name it again, only the first place counts.
 */
export function fuse(legs: readonly RankedLeg[], constant: number = RANK_CONSTANT): Candidate[] {
  return atOnce(fuseSteps(legs, constant));
}

export function* fuseSteps(legs: readonly RankedLeg[], constant: number = RANK_CONSTANT): Steps<Candidate[]> {
  const places = new Map<Label, Record<LegName, LegPlace | null>>();
  for (const { name, result } of legs) {
    let rank = 1;
    yield* eachStep(result.labels, (label, at) => {
      const score = result.scores[at]!;
      if (score !== result.scores[at - 1]) rank = at + 1;
      const known = places.get(label) ?? { keywords: null, vectors: null };
      places.set(label, known);
      known[name] ??= { rank, score };
    });
  }
  const weights = new Map(legs.map(({ name, weight }) => [name, weight]));
  const candidates = yield* mapSteps(places, ([label, place]) =>
    toCandidate(label, place, weights, constant),
  );
  return yield* sortSteps(candidates, compareCandidates);
}

function toCandidate(
  label: Label,
  places: Record<LegName, LegPlace | null>,
  weights: ReadonlyMap<LegName, number>,
  constant: number,
): Candidate {
  let rrf = 0;
  let bestRank = Number.POSITIVE_INFINITY;
  // Always in this order, so that rounding cannot depend on which leg answered first.
  for (const name of ['keywords', 'vectors'] as const) {
    const place = places[name];
    if (place === null) continue;
    rrf += (weights.get(name) ?? 0) / (constant + place.rank);
    bestRank = Math.min(bestRank, place.rank);
  }
  return { label, rrf, score: rrf, bestRank, places };
}

/** Whether only the label orders two candidates. */
export function isTied(a: Candidate, b: Candidate): boolean {
  return a.score === b.score && a.bestRank === b.bestRank;
}

export function compareCandidates(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.bestRank - b.bestRank || a.label - b.label;
}
