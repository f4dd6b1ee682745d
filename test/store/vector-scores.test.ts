import { describe, expect, it } from 'vitest';
import { idsOf, published } from './reading.js';
import { batch, DIMS, document, newStore } from './support.js';

describe('scores of vectors (U6)', () => {
  it.each(['int8', 'float32'] as const)(
    'are cosines, exactly, from a %s graph and its tail',
    async (vectorPrecision) => {
      const axis = (x: number, y: number) => {
        const vector = new Float32Array(DIMS);
        vector.set([x, y]);
        return vector;
      };
      const rows: [string, Float32Array, number][] = [
        ['identical', axis(1, 0), 1],
        ['at 45°', axis(Math.SQRT1_2, Math.SQRT1_2), Math.SQRT1_2],
        ['orthogonal', axis(0, -1), 0],
        ['opposite', axis(-1, 0), -1],
      ];
      const given = () => rows.map(([id, vector]) => document(id, [id], { vector: () => vector }));
      const reader = await published(
        await newStore({ graphThreshold: 1, vectorPrecision }),
        batch(given().slice(0, 3)),
      );
      const tailed = await published(await newStore({ vectorPrecision }), batch(given()));
      expect((await reader.stats()).graphVectors).toBe(3);
      expect((await tailed.stats()).graphVectors).toBe(0);
      for (const one of [reader, tailed]) {
        const all = await one.select(undefined);
        // A query is no unit vector: its length says nothing.
        for (const length of [1, 0.001, 1_000]) {
          const found = await one.searchVectors(axis(length, 0), 9, all);
          expect(await idsOf(one, found)).toEqual(rows.slice(0, all.count).map(([id]) => id));
          [...found.scores].forEach((score, at) => {
            expect(score).toBeCloseTo(rows[at]![2], 5);
          });
        }
      }
    },
  );
});
