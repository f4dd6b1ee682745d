import { blendSteps } from './blend.js';
import { type Candidate, compareCandidates, type RankedLeg } from './fuse.js';
import type { BlendWeights, LegName } from './options.js';
import { mapSteps, type Steps, sortSteps } from './steps.js';

/**
 * Orders fused candidates by the weighted sum of their standardised RRF, cosine and BM25 instead of by RRF alone.
 * Ranks say nothing about how far the best is ahead. On five of six judged collections the blend is above RRF alone,
 * which loses to its better leg on two (`bench/quality.mjs` prints the figures). Nothing changes where only one leg found anything: its own
 * order is all there is.
 */
export function* blendLegs(
  candidates: readonly Candidate[],
  legs: readonly RankedLeg[],
  weights: BlendWeights,
): Steps<Candidate[]> {
  const weightOf = (name: LegName) =>
    legs.find((leg) => leg.name === name && leg.result.labels.length > 0)?.weight ?? 0;
  const cosine = weights.cosine * weightOf('vectors');
  const bm25 = weights.bm25 * weightOf('keywords');
  const single = weightOf('vectors') === 0 || weightOf('keywords') === 0;
  if (single || (cosine === 0 && bm25 === 0)) return [...candidates];
  const signals = yield* mapSteps(candidates, ({ rrf, places }) => ({
    rrf,
    cosine: places.vectors?.score ?? null,
    bm25: places.keywords?.score ?? null,
    logit: null,
  }));
  const scores = yield* blendSteps(signals, { ...weights, cosine, bm25 });
  const blended = yield* mapSteps(candidates, (candidate, i) => ({ ...candidate, score: scores[i]! }));
  return yield* sortSteps(blended, compareCandidates);
}
