import { describe, expect, it } from 'vitest';
import { fromHalfFloats } from '../../src/inference/half-floats.js';
import { addScaled, normalize, pool } from '../../src/inference/pooling.js';

describe('pooling', () => {
  const states = Float32Array.of(1, 2, 3, 6);

  it('takes the mean of all tokens, the first, or the vector as it is', () => {
    const out = new Float32Array(2);
    pool(out, states, 'mean');
    expect([...out]).toEqual([2, 4]);
    pool(out, states, 'cls');
    expect([...out]).toEqual([1, 2]);
    pool(out, Float32Array.of(7, 8), 'none');
    expect([...out]).toEqual([7, 8]);
  });

  it('adds windows by weight, and brings vectors to length 1', () => {
    const out = Float32Array.of(0, 0);
    addScaled(out, Float32Array.of(3, 4), 2);
    expect([...out]).toEqual([6, 8]);
    expect(normalize(out)).toBe(10);
    expect(out[0]).toBeCloseTo(0.6);
    expect(out[1]).toBeCloseTo(0.8);
  });

  it('leaves zeros zero, and lets NaN show', () => {
    const zeros = new Float32Array(3);
    expect(normalize(zeros)).toBe(0);
    expect([...zeros]).toEqual([0, 0, 0]);
    expect(normalize(Float32Array.of(1, Number.NaN))).toBeNaN();
    expect(normalize(Float32Array.of(1, Number.POSITIVE_INFINITY))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('half floats', () => {
  it('become what they stand for', () => {
    const words = Uint16Array.of(0x0000, 0x3c00, 0xc000, 0x3555, 0x7bff, 0x0001, 0x7c00, 0xfc00, 0x7e00);
    const [zero, one, minusTwo, third, largest, smallest, up, down, nan] = fromHalfFloats(words);
    expect([zero, one, minusTwo, largest]).toEqual([0, 1, -2, 65504]);
    expect(third).toBeCloseTo(1 / 3, 3);
    expect(smallest).toBe(2 ** -24);
    expect([up, down]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    expect(nan).toBeNaN();
  });
});
