/** IEEE half floats (as the 16-bit words in which ONNX Runtime returns them) as float32. */
export function fromHalfFloats(words: Uint16Array): Float32Array {
  const values = new Float32Array(words.length);
  for (let i = 0; i < words.length; i++) values[i] = fromHalf(words[i]!);
  return values;
}

function fromHalf(word: number): number {
  const sign = word & 0x8000 ? -1 : 1;
  const exponent = (word >> 10) & 0x1f;
  const fraction = word & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
