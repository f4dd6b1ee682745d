import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { median, percentile, spread } = await load('lib/stats.mjs');

describe('median', () => {
  it('takes the middle, or the mean of the two middle ones', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  it('orders by value, not by text', () => {
    expect(median([10, 9, 100])).toBe(10);
  });

  it('leaves its input alone and refuses nothing and NaN', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
    expect(() => median([])).toThrow('no values to order');
    expect(() => median([1, Number.NaN])).toThrow('NaN among the values to order');
  });
});

describe('percentile', () => {
  it('is the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    expect([0, 50, 95, 99, 100].map((p) => percentile(hundred, p))).toEqual([1, 50, 95, 99, 100]);
    expect(percentile([5], 99)).toBe(5);
  });

  it('covers at least its share of the values', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (all, percent) => {
        const found = percentile(all, percent);
        expect(all).toContain(found);
        expect(all.filter((value) => value <= found).length).toBeGreaterThanOrEqual(
          (percent / 100) * all.length - 1e-9,
        );
      }),
    );
  });
});

it('spread has the extremes beside the median', () => {
  expect(spread([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 });
});
