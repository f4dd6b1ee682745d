/**
 * Rank metrics the way BEIR computes them (pytrec_eval, trec_eval), for one query: a ranking of document ids, best
 * first, and graded judgements. A grade over 0 is relevant, everything else (unjudged too) is not. Order is taken as
 * given: trec_eval would sort equal scores by id, a search engine has already decided. A document that a ranking
 * repeats takes its place, but counts once. All values are 0 to 1, and 0 where nothing is relevant: such queries say
 * nothing about a ranking, so callers leave them out (`hasRelevant`).
 */

/** Grades by document id. */
export type Judgements = ReadonlyMap<string, number>;

export function hasRelevant(judged: Judgements): boolean {
  for (const grade of judged.values()) if (grade > 0) return true;
  return false;
}

/**
 * Normalised discounted cumulative gain: Σ grade / log2(rank + 1) over the first k, by that of the ideal ranking.
 * Linear gain, as BEIR reports it; not the 2^grade − 1 of Burges et al. 2005.
 */
export function ndcgAt(ranking: readonly string[], judged: Judgements, k: number): number {
  const ideal = [...judged.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  const best = discountedGain(ideal.slice(0, k));
  return best === 0 ? 0 : discountedGain(gains(ranking, judged, k)) / best;
}

/** Share of all relevant documents that are among the first k. */
export function recallAt(ranking: readonly string[], judged: Judgements, k: number): number {
  let relevant = 0;
  for (const grade of judged.values()) if (grade > 0) relevant++;
  return relevant === 0 ? 0 : found(ranking, judged, k) / relevant;
}

/** Share of the first k places that hold a relevant document; empty places count as wrong. */
export function precisionAt(ranking: readonly string[], judged: Judgements, k: number): number {
  return k === 0 ? 0 : found(ranking, judged, k) / k;
}

/** 1 / rank of the first relevant document among the first k, else 0. Its mean over queries is MRR@k. */
export function reciprocalRankAt(ranking: readonly string[], judged: Judgements, k: number): number {
  const first = gains(ranking, judged, k).findIndex((gain) => gain > 0);
  return first === -1 ? 0 : 1 / (first + 1);
}

/** 1 if a relevant document is among the first k, else 0. */
export function hitAt(ranking: readonly string[], judged: Judgements, k: number): number {
  return found(ranking, judged, k) > 0 ? 1 : 0;
}

function found(ranking: readonly string[], judged: Judgements, k: number): number {
  return gains(ranking, judged, k).filter((gain) => gain > 0).length;
}

/** The grade at each of the first k places, 0 for what is not relevant or was seen before. */
function gains(ranking: readonly string[], judged: Judgements, k: number): number[] {
  const seen = new Set<string>();
  return ranking.slice(0, k).map((id) => {
    const grade = seen.has(id) ? 0 : (judged.get(id) ?? 0);
    seen.add(id);
    return Math.max(0, grade);
  });
}

function discountedGain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
}
