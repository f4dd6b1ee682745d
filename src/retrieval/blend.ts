import type { BlendWeights } from './options.js';
import { standardise } from './standardise.js';

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
  const rrf = standardise(candidates.map((candidate) => candidate.rrf));
  const cosine = standardise(candidates.map((candidate) => candidate.cosine));
  const bm25 = standardise(candidates.map((candidate) => candidate.bm25));
  const logit = standardise(candidates.map((candidate) => candidate.logit));
  return rrf.map(
    (score, i) =>
      weights.rrf * score + weights.cosine * cosine[i]! + weights.bm25 * bm25[i]! + weights.logit * logit[i]!,
  );
}
