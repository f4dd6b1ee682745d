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
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const known = value === null || !Number.isFinite(value) ? least : value;
    scores[i] = (known / 2 - least / 2) / range;
    sum += scores[i]!;
  }
  const mean = sum / scores.length;
  let squares = 0;
  for (const score of scores) squares += (score - mean) ** 2;
  const deviation = Math.sqrt(squares / scores.length);
  for (let i = 0; i < scores.length; i++) scores[i] = (scores[i]! - mean) / deviation;
  return scores;
}
