import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce, inPieces, mapSteps, type Steps, sortSteps } from '../../src/retrieval/steps.js';

describe('steps', () => {
  it('sort as Array.prototype.sort does, equal items in their old order', async () => {
    const item = fc.record({ key: fc.nat(5), n: fc.nat() });
    const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 2_000, size: 'max' }), async (items) => {
        const before = [...items];
        const expected = [...items].sort(compare);
        expect(atOnce(sortSteps(items, compare))).toEqual(expected);
        expect(await inPieces(sortSteps(items, compare))).toEqual(expected);
        expect(items).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });

  it('map in order, with the place of each', () => {
    const items = Array.from({ length: 1_000 }, (_, i) => i * 2);
    expect(atOnce(mapSteps(new Set(items), (item, at) => item - at))).toEqual(items.map((_, i) => i));
  });

  it('give the event loop its turn between long pieces, and short work does not wait', async () => {
    let turns = 0;
    let working = true;
    const count = (async () => {
      for (; working; turns++) await turn();
    })();
    function* slow(): Steps<string> {
      for (let i = 0; i < 5; i++) {
        const until = performance.now() + 3;
        while (performance.now() < until);
        yield;
      }
      return 'done';
    }
    expect(await inPieces(slow())).toBe('done');
    expect(turns).toBeGreaterThanOrEqual(4);
    const before = turns;
    expect(await inPieces(mapSteps([1], (one) => one))).toEqual([1]);
    expect(turns).toBe(before);
    working = false;
    await count;
  });
});
