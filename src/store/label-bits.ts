/** Bits by label, as LabelSet and the native searches use them: bit `label & 7` of byte `label >> 3`. */

/** On shared memory, so that sets go between threads without a copy. */
export function makeBits(maxLabel: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer((maxLabel >>> 3) + 1));
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let ones = 0;
  for (let rest = byte; rest > 0; rest >>= 1) ones += rest & 1;
  return ones;
});

/** How many labels up to `maxLabel` are set. */
export function countUpTo(bits: Uint8Array, maxLabel: number): number {
  const whole = Math.min((maxLabel + 1) >>> 3, bits.length);
  let count = 0;
  for (let i = 0; i < whole; i++) count += ONES[bits[i]!]!;
  if (whole < bits.length) count += ONES[bits[whole]! & ((1 << ((maxLabel + 1) & 7)) - 1)]!;
  return count;
}

/** The set labels up to `maxLabel`, ascending. */
export function* labelsIn(bits: Uint8Array, maxLabel: number): Generator<number> {
  const bytes = Math.min(bits.length, (maxLabel >>> 3) + 1);
  for (let i = 0; i < bytes; i++) {
    for (let rest = bits[i]!, label = i * 8; rest > 0 && label <= maxLabel; rest >>= 1, label++) {
      if (rest & 1) yield label;
    }
  }
}
