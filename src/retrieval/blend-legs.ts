import { blend } from './blend.js';
import { type Candidate, compareCandidates, type RankedLeg } from './fuse.js';
import type { BlendWeights, LegName } from './options.js';

/**
 * Orders fused candidates by the weighted sum of their standardised RRF, cosine and BM25 instead of by RRF alone.
 * Ranks say nothing about how far the best is ahead. On five of six judged collections the blend is above RRF alone,
 * which loses to its better leg on two (`bench/quality.mjs` prints the figures). Nothing changes where only one leg found anything: its own
 * order is all there is.
 */
export function blendLegs(
  candidates: readonly Candidate[],
  legs: readonly RankedLeg[],
  weights: BlendWeights,
): Candidate[] {
  const weightOf = (name: LegName) =>
    legs.find((leg) => leg.name === name && leg.result.labels.length > 0)?.weight ?? 0;
  const cosine = weights.cosine * weightOf('vectors');
  const bm25 = weights.bm25 * weightOf('keywords');
  const single = weightOf('vectors') === 0 || weightOf('keywords') === 0;
  if (single || (cosine === 0 && bm25 === 0)) return [...candidates];
  const signals = candidates.map(({ rrf, places }) => ({
    rrf,
    cosine: places.vectors?.score ?? null,
    bm25: places.keywords?.score ?? null,
    logit: null,
  }));
  const scores = blend(signals, { ...weights, cosine, bm25 });
  return candidates.map((candidate, i) => ({ ...candidate, score: scores[i]! })).sort(compareCandidates);
}
