import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVector, encodeVectors } from '../../src/store/vector-codec.js';

/** Half floats as the standard defines them: sign, 5 bits of exponent, 10 of fraction. */
function halfFloat(bits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  return exponent === 0 ? sign * fraction * 2 ** -14 : sign * (1 + fraction) * 2 ** (exponent - 15);
}

function decode(blob: Uint8Array, dims: number): Float32Array {
  const target = new Float32Array(dims + 2).fill(7);
  decodeVector(blob, dims, target, 1);
  expect([target[0], target[dims + 1]]).toEqual([7, 7]);
  return target.slice(1, dims + 1);
}

describe('float32', () => {
  it('comes back bit by bit, from any place of a buffer', () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(float, { minLength: 1, maxLength: 40 }), fc.nat(3), (values, offset) => {
        const data = Float32Array.from(values);
        const blob = encodeVectors(data, values.length, 'float32');
        const moved = new Uint8Array(blob.length + offset);
        moved.set(blob, offset);
        expect(decode(moved.subarray(offset), values.length)).toEqual(data);
      }),
    );
  });
});

describe('float16', () => {
  it('decodes every number', () => {
    const target = new Float32Array(1);
    const wrong: number[] = [];
    for (let bits = 0; bits < 0x10000; bits++) {
      if (((bits >> 10) & 31) === 31) continue;
      decodeVector(Uint8Array.of(bits & 255, bits >> 8), 1, target, 0);
      if (!Object.is(target[0], halfFloat(bits))) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
  });

  it('encodes to the nearest number, and keeps the direction of a vector of any length', () => {
    const part = fc.integer({ min: -10_000, max: 10_000 });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 30 }).filter((parts) => parts.some((value) => value !== 0)),
        fc.constantFrom(1e-30, 1e-3, 1, 1e30),
        (parts, scale) => {
          const data = Float32Array.from(parts, (value) => value * scale);
          const length = Math.hypot(...data);
          const blob = encodeVectors(data, parts.length, 'float16');
          expect(blob).toHaveLength(parts.length * 2);
          decode(blob, parts.length).forEach((value, i) => {
            const exact = data[i]! / length;
            // Half of the last of 11 digits, or half of the smallest number.
            expect(Math.abs(value - exact)).toBeLessThanOrEqual(
              Math.max(Math.abs(exact) * 2 ** -11, 2 ** -25),
            );
          });
        },
      ),
    );
  });

  it('encodes several rows, zeros, and numbers halfway between two', () => {
    const halfway = (1 + 2 ** -11) / 2;
    const other = Math.sqrt(1 - halfway * halfway);
    const data = Float32Array.from([0, 0, 1, 0, -1, -0, halfway, other]);
    const blob = encodeVectors(data, 2, 'float16');
    const row = (at: number) => decode(blob.subarray(at * 4, at * 4 + 4), 2);
    expect(row(0)).toEqual(Float32Array.of(0, 0));
    expect(row(1)).toEqual(Float32Array.of(1, 0));
    expect(row(2)).toEqual(Float32Array.of(-1, -0));
    expect(Math.abs(row(3)[0]! - halfway)).toBeLessThanOrEqual(2 ** -12);
  });
});

it('refuses a blob of another length', () => {
  for (const bytes of [0, 7, 15, 17, 33]) {
    expect(() => decode(new Uint8Array(bytes), 8)).toThrow(
      expect.objectContaining({ code: 'SLUICE_INDEX_CORRUPT' }),
    );
  }
});
