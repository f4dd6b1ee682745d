import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blend, standardise } from '../../src/retrieval/index.js';

describe('standard scores', () => {
  it('gives the hand-computed values of 1, 2, 3', () => {
    // Mean 2, population deviation √(2/3).
    const z = Math.sqrt(3 / 2);
    expect(Array.from(standardise([1, 2, 3]))).toEqual([-z, 0, z].map((value) => expect.closeTo(value, 12)));
  });

  it.each([
    ['nothing', []],
    ['one value', [5]],
    ['equal values that rounding could tear apart', [0.1, 0.1, 0.1]],
    ['nothing known', [null, Number.NaN]],
    ['one known value', [null, 3, null]],
    ['values too close for their difference', [0, 5e-324]],
  ])('gives zeros for %s', (_, values) => {
    expect(Array.from(standardise(values))).toEqual(values.map(() => 0));
  });

  it('takes the least known value for what is unknown', () => {
    expect(standardise([1, null, 3])).toEqual(standardise([1, 1, 3]));
    expect(standardise([1, Number.NaN, 3, Number.NEGATIVE_INFINITY])).toEqual(standardise([1, 1, 3, 1]));
  });

  it('has mean 0 and deviation 1, keeps the order, and is finite for any input', () => {
    const value = fc.option(fc.double(), { nil: null });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 30 }), (values) => {
        const scores = standardise(values);
        expect(scores.every(Number.isFinite)).toBe(true);
        if (scores.some((score) => score !== 0)) {
          expect(scores.reduce((sum, score) => sum + score, 0) / scores.length).toBeCloseTo(0, 9);
          expect(scores.reduce((sum, score) => sum + score * score, 0) / scores.length).toBeCloseTo(1, 9);
        }
        const known = [...values.keys()].filter((i) => values[i] !== null && Number.isFinite(values[i]));
        for (const a of known)
          for (const b of known)
            if (values[a]! > values[b]!) expect(scores[a]!).toBeGreaterThanOrEqual(scores[b]!);
      }),
    );
  });
});

describe('blend', () => {
  const weights = { rrf: 0.7, cosine: 0.5, bm25: 0.2, logit: 0.5 };

  it('adds the weighted standard scores', () => {
    const candidates = [
      { rrf: 0.03, cosine: 0.9, bm25: 2, logit: -2 },
      { rrf: 0.02, cosine: 0.1, bm25: 9, logit: 4 },
    ];
    // Two different values always standardise to ±1.
    expect(Array.from(blend(candidates, weights))).toEqual(
      [0.7 + 0.5 - 0.2 - 0.5, -0.7 - 0.5 + 0.2 + 0.5].map((x) => expect.closeTo(x, 12)),
    );
  });

  it('counts a missing score as the worst of its signal, and a signal that is missing everywhere as nothing', () => {
    const blended = blend(
      [
        { rrf: 0.03, cosine: null, bm25: null, logit: 1 },
        { rrf: 0.03, cosine: null, bm25: null, logit: Number.NaN },
        { rrf: 0.03, cosine: null, bm25: null, logit: 1 },
        { rrf: 0.03, cosine: null, bm25: null, logit: -1 },
      ],
      weights,
    );
    expect(blended.every(Number.isFinite)).toBe(true);
    expect(blended[1]!).toBeLessThan(blended[0]!);
    expect(blended[0]).toBe(blended[2]);
    expect(blended[1]).toBe(blended[3]);
  });
});
