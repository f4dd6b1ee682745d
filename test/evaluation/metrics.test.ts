import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasRelevant,
  hitAt,
  ndcgAt,
  precisionAt,
  recallAt,
  reciprocalRankAt,
} from '../../src/evaluation/index.js';

const grades = new Map([
  ['a', 3],
  ['b', 2],
  ['c', 1],
  ['zero', 0],
  ['negative', -1],
]);

describe('metrics', () => {
  it('give the hand-computed values', () => {
    const ranking = ['x', 'b', 'zero', 'a'];
    // Gains 0, 2, 0, 3 at discounts log2(2, 3, 4, 5); the ideal is 3, 2, 1.
    const dcg = 2 / Math.log2(3) + 3 / Math.log2(5);
    const ideal = 3 + 2 / Math.log2(3) + 1 / Math.log2(4);
    expect(ndcgAt(ranking, grades, 10)).toBeCloseTo(dcg / ideal, 12);
    expect(ndcgAt(ranking, grades, 10)).toBeCloseTo(0.53632, 5);
    expect(ndcgAt(ranking, grades, 2)).toBeCloseTo(2 / Math.log2(3) / (3 + 2 / Math.log2(3)), 12);
    expect(recallAt(ranking, grades, 10)).toBeCloseTo(2 / 3, 12);
    expect(recallAt(ranking, grades, 3)).toBeCloseTo(1 / 3, 12);
    expect(precisionAt(ranking, grades, 10)).toBeCloseTo(0.2, 12);
    expect(precisionAt(ranking, grades, 4)).toBeCloseTo(0.5, 12);
    expect(reciprocalRankAt(ranking, grades, 10)).toBe(1 / 2);
    expect(reciprocalRankAt(ranking, grades, 1)).toBe(0);
    expect([hitAt(ranking, grades, 1), hitAt(ranking, grades, 2)]).toEqual([0, 1]);
  });

  it('use linear gain: grade 2 counts twice grade 1, not thrice', () => {
    const judged = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    const discount = 1 / Math.log2(3);
    expect(ndcgAt(['b', 'a'], judged, 10)).toBeCloseTo((1 + 2 * discount) / (2 + discount), 12);
  });

  it('are 1 for the ideal ranking, also where grades tie', () => {
    const tied = new Map([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    for (const ranking of [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
    ]) {
      expect(ndcgAt(ranking, tied, 10)).toBe(1);
    }
    expect(ndcgAt(['a', 'b', 'c'], grades, 10)).toBe(1);
  });

  it('are 0 where nothing is relevant, nothing was found or nothing may be looked at', () => {
    const nothing = new Map([['a', 0]]);
    expect([hasRelevant(grades), hasRelevant(nothing), hasRelevant(new Map())]).toEqual([true, false, false]);
    for (const metric of [ndcgAt, recallAt, precisionAt, reciprocalRankAt, hitAt]) {
      expect(metric(['a'], nothing, 10)).toBe(0);
      expect(metric([], grades, 10)).toBe(0);
      expect(metric(['a'], grades, 0)).toBe(0);
    }
  });

  it('count a document once, however often a ranking names it', () => {
    expect(recallAt(['a', 'a', 'a'], grades, 10)).toBeCloseTo(1 / 3, 12);
    expect(precisionAt(['a', 'a'], grades, 2)).toBe(0.5);
    expect(ndcgAt(['a', 'a', 'b'], grades, 10)).toBe(ndcgAt(['a', 'x', 'b'], grades, 10));
  });

  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const ranking = fc.shuffledSubarray(ids);
  const judgements = fc.dictionary(fc.constantFrom(...ids), fc.integer({ min: -1, max: 4 }));

  it('equal their slow twins on random rankings', () => {
    fc.assert(
      fc.property(ranking, judgements, fc.integer({ min: 1, max: 10 }), (order, given, k) => {
        const judged = new Map(Object.entries(given));
        const twin = slowTwins(order, given, k);
        expect(ndcgAt(order, judged, k)).toBeCloseTo(twin.ndcg, 10);
        expect(recallAt(order, judged, k)).toBeCloseTo(twin.recall, 10);
        expect(precisionAt(order, judged, k)).toBeCloseTo(twin.precision, 10);
        expect(reciprocalRankAt(order, judged, k)).toBeCloseTo(twin.mrr, 10);
        expect(hitAt(order, judged, k)).toBe(twin.hit);
      }),
    );
  });

  /** One rank at a time, and the ideal by taking the best that is left. */
  function slowTwins(order: string[], given: Record<string, number>, k: number) {
    const grade = (id: string) => Math.max(0, given[id] ?? 0);
    const dcg = (list: string[]) => {
      let sum = 0;
      for (let rank = 1; rank <= Math.min(k, list.length); rank++) {
        sum += (grade(list[rank - 1]!) * Math.LN2) / Math.log(rank + 1);
      }
      return sum;
    };
    const relevant = Object.keys(given).filter((id) => grade(id) > 0);
    let ideal = 0;
    const rest = new Set(relevant);
    const best: string[] = [];
    while (rest.size > 0) {
      const next = [...rest].reduce((a, b) => (grade(b) > grade(a) ? b : a));
      best.push(next);
      rest.delete(next);
    }
    ideal = dcg(best);
    let found = 0;
    let first = 0;
    for (let rank = 1; rank <= Math.min(k, order.length); rank++) {
      if (!relevant.includes(order[rank - 1]!)) continue;
      found++;
      if (first === 0) first = rank;
    }
    return {
      ndcg: ideal === 0 ? 0 : dcg(order) / ideal,
      recall: relevant.length === 0 ? 0 : found / relevant.length,
      precision: found / k,
      mrr: first === 0 ? 0 : 1 / first,
      hit: found > 0 ? 1 : 0,
    };
  }
});
