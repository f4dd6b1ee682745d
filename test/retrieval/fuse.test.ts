import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse, type RankedLeg } from '../../src/retrieval/index.js';

function leg(name: RankedLeg['name'], labels: number[], weight = 1): RankedLeg {
  return {
    name,
    weight,
    result: {
      labels: Uint32Array.from(labels),
      scores: Float32Array.from(labels, (_, i) => labels.length - i),
    },
  };
}

const labelList = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
const weight = fc.constantFrom(0.5, 1, 2);

describe('reciprocal rank fusion', () => {
  it('gives the worked example: first and fourth is 1/61 + 1/64, second in one list alone is 1/62', () => {
    const fused = fuse([leg('keywords', [7, 1, 2]), leg('vectors', [3, 9, 4, 7])]);
    const scores = new Map(fused.map(({ label, rrf }) => [label, rrf]));
    expect(scores.get(7)).toBeCloseTo(0.032, 4);
    expect(scores.get(7)).toBe(1 / 61 + 1 / 64);
    expect(scores.get(9)).toBeCloseTo(0.0161, 4);
    expect(fused[0]!.label).toBe(7);
  });

  it('U1: a chunk that both legs found is one candidate with the sum and both places', () => {
    const fused = fuse([leg('keywords', [5]), leg('vectors', [5])]);
    expect(fused).toHaveLength(1);
    expect(fused[0]).toMatchObject({ rrf: 2 / 61, bestRank: 1 });
    expect(fused[0]!.places).toEqual({ keywords: { rank: 1, score: 1 }, vectors: { rank: 1, score: 1 } });
  });

  it('U4: equal scores come by best rank, then by label', () => {
    const mirrored = fuse([leg('keywords', [2, 1]), leg('vectors', [1, 2])]);
    expect(mirrored.map(({ label }) => label)).toEqual([1, 2]);
    // 4 at rank 1 with half the weight, 3 at rank 62 with the full one: both 1/122.
    const far = Array.from({ length: 61 }, (_, i) => 100 + i);
    const halves = fuse([leg('keywords', [4], 0.5), leg('vectors', [...far, 3])]);
    const tied = halves.filter(({ label }) => label < 100);
    expect(tied[0]!.rrf).toBe(tied[1]!.rrf);
    expect(tied.map(({ label }) => label)).toEqual([4, 3]);
  });

  it('U2: a label that a list repeats counts once, at its best rank', () => {
    const fused = fuse([leg('keywords', [8, 8, 8, 9])]);
    expect(fused.map(({ label, rrf }) => [label, rrf])).toEqual([
      [8, 1 / 61],
      [9, 1 / 64],
    ]);
  });

  it('gives equal scores of a leg the same rank, and the ranks behind them as if they had none', () => {
    const result = { labels: Uint32Array.of(6, 5, 4, 3), scores: Float32Array.of(2, 1, 1, 0.5) };
    const fused = fuse([{ name: 'keywords', weight: 1, result }]);
    expect(fused.map(({ label, bestRank }) => [label, bestRank])).toEqual([
      [6, 1],
      [4, 2],
      [5, 2],
      [3, 4],
    ]);
  });

  it('leaves what only a leg of weight 0 found behind everything else', () => {
    const fused = fuse([leg('keywords', [1, 2]), leg('vectors', [9, 2], 0)]);
    expect(fused.map(({ label, rrf }) => [label, rrf])).toEqual([
      [1, 1 / 61],
      [2, 1 / 62],
      [9, 0],
    ]);
  });

  it('survives empty and missing legs', () => {
    expect(fuse([])).toEqual([]);
    expect(fuse([leg('keywords', []), leg('vectors', [])])).toEqual([]);
    expect(fuse([leg('keywords', []), leg('vectors', [3])]).map(({ label }) => label)).toEqual([3]);
  });

  it('equals the slow sum over ranks, is totally ordered, and ignores the order of the legs', () => {
    fc.assert(
      fc.property(labelList, labelList, weight, weight, (a, b, left, right) => {
        const legs = [leg('keywords', a, left), leg('vectors', b, right)];
        const fused = fuse(legs);
        expect(fuse([...legs].reverse())).toEqual(fused);
        const all = [...new Set([...a, ...b])];
        const slow = all.map((label) => {
          const ranks = [a.indexOf(label), b.indexOf(label)];
          const rrf = [left, right].reduce(
            (sum, w, i) => sum + (ranks[i]! < 0 ? 0 : w / (61 + ranks[i]!)),
            0,
          );
          return { label, rrf, bestRank: Math.min(...ranks.filter((rank) => rank >= 0)) + 1 };
        });
        slow.sort((x, y) => y.rrf - x.rrf || x.bestRank - y.bestRank || x.label - y.label);
        expect(fused.map(({ label, rrf, bestRank }) => ({ label, rrf, bestRank }))).toEqual(slow);
      }),
    );
  });
});
