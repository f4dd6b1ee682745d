/** What a score is, for each metric, in exact numbers: closer is higher, whatever finds it (U6). */

import { describe, expect, it } from 'vitest';
import type { NativeMetric, NativePrecision } from '../../src/native/contract.js';
import { graphOf, labelsFrom, native, searchOne } from './support.js';

const HALF = Math.SQRT1_2;
/** Identical, 45°, orthogonal, 135°, opposite, and a longer and a shorter one in the same direction. */
const ROWS: [string, number[]][] = [
  ['identical', [3, 4]],
  ['at 45°', [-1, 7]],
  ['orthogonal', [-4, 3]],
  ['at 135°', [-7, -1]],
  ['opposite', [-3, -4]],
  ['twice as long', [6, 8]],
  ['half as long', [1.5, 2]],
];
const QUERY = Float32Array.of(3, 4);
const EXPECTED: Record<NativeMetric, number[]> = {
  cosine: [1, HALF, 0, -HALF, -1, 1, 1],
  // Of lengths 5, √50, 5, √50, 5, 10 and 2.5.
  ip: [25, 25, 0, -25, -25, 50, 12.5],
  l2: [0, -25, -50, -125, -100, -25, -6.25],
};

const data = Float32Array.from(ROWS.flatMap(([, row]) => row));

/** Labels with equal scores ascend. */
function ranked(metric: NativeMetric): number[] {
  const scores = EXPECTED[metric];
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);
}

describe.each(Object.keys(EXPECTED) as NativeMetric[])('%s (U6)', (metric) => {
  it('scores given rows exactly', () => {
    const scores = native.scoreRows(QUERY, data, metric);
    for (const [at, [name]] of ROWS.entries()) {
      expect(scores[at], name).toBeCloseTo(EXPECTED[metric][at]!, 4);
    }
  });

  it.each<NativePrecision>(['float32', 'int8'])(
    'is the same of %s, in a graph and flat',
    async (precision) => {
      const flat = native.FlatVectors.create(2, metric, precision);
      flat.append(labelsFrom(0, ROWS.length), data);
      const graph = await graphOf(data, 2, { metric, precision });
      const found = [await flat.search(QUERY, 9, 1, null), await searchOne(graph, QUERY, 9)];
      const largest = Math.max(...EXPECTED[metric].map(Math.abs));
      for (const { labels, scores } of found) {
        expect(labels).toHaveLength(ROWS.length);
        labels.forEach((label, at) => {
          const exact = EXPECTED[metric][label]!;
          const tolerance = precision === 'int8' ? largest * 0.03 : 1e-4;
          expect(Math.abs(scores[at]! - exact), ROWS[label]![0]).toBeLessThanOrEqual(tolerance);
        });
        if (precision === 'float32') {
          // Where scores differ, order is certain; equal ones may differ in their last bit.
          const order = [...labels].map((label) => EXPECTED[metric][label]!);
          expect(order).toEqual(ranked(metric).map((label) => EXPECTED[metric][label]!));
        }
      }
    },
  );
});
