import type { LegResult } from '../model/store.js';

export const NO_HITS: LegResult = { labels: new Uint32Array(0), scores: new Float32Array(0) };

/** The best k of two results, best first; equal scores by lower label; a label that is in both counts once. */
export function mergeHits(a: LegResult, b: LegResult, k: number): LegResult {
  const scores = new Map<number, number>();
  for (const { labels, scores: given } of [a, b]) {
    labels.forEach((label, i) => {
      scores.set(label, Math.max(given[i]!, scores.get(label) ?? Number.NEGATIVE_INFINITY));
    });
  }
  const best = [...scores].sort((x, y) => y[1] - x[1] || x[0] - y[0]).slice(0, k);
  return {
    labels: Uint32Array.from(best, ([label]) => label),
    scores: Float32Array.from(best, ([, score]) => score),
  };
}
