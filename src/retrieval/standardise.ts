/**
 * Standard scores (x − mean) / deviation, over the population, so that signals of different scales can be added.
 * A value that is null or not finite gets the least finite one before the mean is taken: what a leg didn't score is
 * no better than the worst that it did. No finite value, one value, or all equal give zeros: such a signal says
 * nothing about the order.
 */
export function standardise(values: readonly (number | null)[]): Float64Array {
  const scores = new Float64Array(values.length);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  // Halves, because the difference of two finite numbers may not be finite.
  const range = most / 2 - least / 2;
  if (!(range > 0) || !Number.isFinite(range)) return scores;
  // Standard scores don't change under shifting and stretching, and on [0, 1] neither rounding nor overflow can make
  // a deviation out of nothing.
  values.forEach((value, i) => {
    const known = value === null || !Number.isFinite(value) ? least : value;
    scores[i] = (known / 2 - least / 2) / range;
  });
  // Added up in the order of size: the order of equal candidates must not show in the last digit.
  const sorted = scores.toSorted();
  const mean = sorted.reduce((sum, score) => sum + score, 0) / scores.length;
  const squares = sorted.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / scores.length);
  return scores.map((score) => (score - mean) / deviation);
}
