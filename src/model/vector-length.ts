/** Squared lengths up to this keep every dot product and squared distance finite in float32. The addon has the same. */
export const MAX_SQUARED_LENGTH = (2 - 2 ** -23) * 2 ** 125;

/**
 * What keeps a row of numbers from being a vector: 'holds NaN' or 'is too long', with its length. Undefined for a sound
 * one. A row of zeros is none of its business.
 * @param from where the row begins, in numbers
 */
export function vectorTrouble(data: ArrayLike<number>, from = 0, dims = data.length): string | undefined {
  let squares = 0;
  for (let i = from; i < from + dims; i++) squares += data[i]! * data[i]!;
  // NaN and an infinite value poison the sum, so that one comparison a row is enough.
  if (squares <= MAX_SQUARED_LENGTH) return undefined;
  for (let i = from; i < from + dims; i++) if (!Number.isFinite(data[i])) return `holds ${data[i]}`;
  return `is too long, its length is ${Math.sqrt(squares).toExponential(2)}`;
}
