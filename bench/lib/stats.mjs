/** Order statistics. A mean says little about times: one swap or one collector pause moves it. */

/** The middle value; the mean of the two middle ones for an even count. */
export function median(values) {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Nearest rank: the smallest value that at least `percent` of all values do not exceed. */
export function percentile(values, percent) {
  const sorted = ascending(values);
  const rank = Math.ceil((percent / 100) * sorted.length);
  return sorted[Math.min(sorted.length, Math.max(1, rank)) - 1];
}

/** Median with the extremes beside it. */
export function spread(values) {
  const sorted = ascending(values);
  return { median: median(sorted), min: sorted[0], max: sorted.at(-1) };
}

function ascending(values) {
  if (values.length === 0) throw new RangeError('no values to order');
  const sorted = Float64Array.from(values).sort();
  if (sorted.some(Number.isNaN)) throw new RangeError('NaN among the values to order');
  return sorted;
}
