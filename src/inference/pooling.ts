import type { Pooling } from './model-spec.js';

/**
 * Writes one vector from the states of one sequence (`tokens × dims`, or just `dims` for 'none') to `out`.
 * There is no padding in a sequence, so every state counts.
 */
export function pool(out: Float32Array, states: Float32Array, pooling: Pooling): void {
  const dims = out.length;
  if (pooling !== 'mean') {
    out.set(states.subarray(0, dims));
    return;
  }
  const tokens = states.length / dims;
  const sums = new Float64Array(dims);
  for (let at = 0; at < states.length; at += dims) {
    for (let d = 0; d < dims; d++) sums[d]! += states[at + d]!;
  }
  for (let d = 0; d < dims; d++) out[d] = sums[d]! / tokens;
}

/** Adds `weight × vector` to `out`. */
export function addScaled(out: Float32Array, vector: Float32Array, weight: number): void {
  for (let d = 0; d < out.length; d++) out[d]! += weight * vector[d]!;
}

/** Brings a vector to length 1 in place. Returns its former length: NaN or infinite if an element was, or 0. */
export function normalize(vector: Float32Array): number {
  const length = Math.sqrt(squaredLength(vector));
  if (Number.isFinite(length) && length > 0) {
    for (let d = 0; d < vector.length; d++) vector[d]! /= length;
  }
  return length;
}

export function squaredLength(vector: Float32Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return sum;
}
