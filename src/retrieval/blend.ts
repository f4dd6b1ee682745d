import type { BlendWeights } from './options.js';
import { standardise } from './standardise.js';
import { atOnce, type Steps } from './steps.js';

/** What is known of one candidate; null where a leg or the reranker has no score for it. */
export interface Signals {
  readonly rrf: number;
  readonly cosine: number | null;
  readonly bm25: number | null;
  readonly logit: number | null;
}

/**
 * One score a candidate: the weighted sum of the standardised signals, in input order (weighted z-score fusion).
 * Always finite: a missing or broken signal counts as the worst of the list.
 */
export function blend(candidates: readonly Signals[], weights: BlendWeights): Float64Array {
  return atOnce(blendSteps(candidates, weights));
}

export function* blendSteps(candidates: readonly Signals[], weights: BlendWeights): Steps<Float64Array> {
  const rrf = standardise(candidates.map((candidate) => candidate.rrf));
  yield;
  const cosine = standardise(candidates.map((candidate) => candidate.cosine));
  yield;
  const bm25 = standardise(candidates.map((candidate) => candidate.bm25));
  yield;
  const logit = standardise(candidates.map((candidate) => candidate.logit));
  yield;
  return rrf.map(
    (score, i) =>
      weights.rrf * score + weights.cosine * cosine[i]! + weights.bm25 * bm25[i]! + weights.logit * logit[i]!,
  );
}
