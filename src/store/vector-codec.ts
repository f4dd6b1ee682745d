import { SluiceError } from '../errors.js';

/**
 * How a vector lies in the database: little-endian float32, or float16 for half the disk. The length of a blob tells
 * which. Half floats keep three digits, so rows are brought to unit length first: the metric is cosine, which only sees
 * directions, and no value is then too large or too small.
 */
export type StoredVectors = 'float32' | 'float16';

/** The blobs of some rows, one after another, each `dims * 4` or `dims * 2` bytes. */
export function encodeVectors(data: Float32Array, dims: number, stored: StoredVectors): Buffer {
  if (stored === 'float32') return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const words = new Uint16Array(data.length);
  for (let from = 0; from < data.length; from += dims) {
    const length = lengthOf(data, from, from + dims) || 1;
    for (let i = from; i < from + dims; i++) words[i] = toHalf(data[i]! / length);
  }
  return Buffer.from(words.buffer);
}

function lengthOf(data: Float32Array, from: number, to: number): number {
  let squares = 0;
  for (let i = from; i < to; i++) squares += data[i]! * data[i]!;
  return Math.sqrt(squares);
}

/** Whether a blob is as long as a row of either kind. */
export function isStoredVector(blob: Uint8Array, dims: number): boolean {
  return blob.length === dims * 4 || blob.length === dims * 2;
}

/**
 * Writes the numbers of a blob to `target` from place `at` on.
 * @throws SLUICE_INDEX_CORRUPT where the blob is as long as no row is
 */
export function decodeVector(blob: Uint8Array, dims: number, target: Float32Array, at: number): void {
  if (blob.length === dims * 4) {
    new Uint8Array(target.buffer, target.byteOffset + at * 4, blob.length).set(blob);
    return;
  }
  if (blob.length !== dims * 2) {
    throw new SluiceError(
      'SLUICE_INDEX_CORRUPT',
      `a vector in the database has ${blob.length} bytes instead of ${dims * 4} or ${dims * 2}`,
      { hint: 'restore the index from a copy, or build it anew', details: { bytes: blob.length, dims } },
    );
  }
  const values = halfValues();
  for (let i = 0; i < dims; i++) target[at + i] = values[blob[i * 2]! | (blob[i * 2 + 1]! << 8)]!;
}

let table: Float32Array | undefined;

/** All half floats by their bits, 256 KiB: looking a value up costs a third of computing it. */
function halfValues(): Float32Array {
  table ??= Float32Array.from({ length: 0x10000 }, (_, bits) => fromHalf(bits));
  return table;
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The nearest half float of a number in -1..1, the even one of two equally near. */
function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  // A fraction that is rounded up to 1 carries into the exponent, which is right.
  return sign | (((exponent + 15) << 10) + roundToEven((size / 2 ** exponent - 1) * 1024));
}

function roundToEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}
