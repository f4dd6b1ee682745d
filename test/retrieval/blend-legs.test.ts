import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blendLegs as blendSteps } from '../../src/retrieval/blend-legs.js';
import { fuse, type RankedLeg } from '../../src/retrieval/fuse.js';
import { atOnce } from '../../src/retrieval/steps.js';

const WEIGHTS = { rrf: 0.7, cosine: 0.5, bm25: 0.2, logit: 0.5 };

function leg(name: 'keywords' | 'vectors', entries: [label: number, score: number][], weight = 1): RankedLeg {
  return {
    name,
    weight,
    result: {
      labels: Uint32Array.from(entries.map(([label]) => label)),
      scores: Float32Array.from(entries.map(([, score]) => score)),
    },
  };
}

const entries = fc
  .uniqueArray(fc.tuple(fc.nat(20), fc.float({ min: 0, max: 50, noNaN: true })), {
    selector: ([label]) => label,
  })
  .map((list) => list.sort((a, b) => b[1] - a[1] || a[0] - b[0]));

const blendLegs = (...given: Parameters<typeof blendSteps>) => atOnce(blendSteps(...given));

describe('blendLegs', () => {
  it('permutes the fused candidates into falling, finite scores', () => {
    fc.assert(
      fc.property(entries, entries, (keywords, vectors) => {
        const legs = [leg('keywords', keywords), leg('vectors', vectors)];
        const fused = fuse(legs);
        const blended = blendLegs(fused, legs, WEIGHTS);
        expect(blended.map(({ label }) => label).sort()).toEqual(fused.map(({ label }) => label).sort());
        const scores = blended.map(({ score }) => score);
        expect(scores.every(Number.isFinite)).toBe(true);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }),
    );
  });

  it('leaves the order alone where one leg found nothing, has no weight, or only ranks are to count', () => {
    fc.assert(
      fc.property(entries, entries, (some, others) => {
        const cases: [RankedLeg[], typeof WEIGHTS][] = [
          [[leg('keywords', some), leg('vectors', [])], WEIGHTS],
          [[leg('keywords', some), leg('vectors', others, 0)], WEIGHTS],
          [[leg('keywords', some), leg('vectors', others)], { ...WEIGHTS, cosine: 0, bm25: 0 }],
        ];
        for (const [legs, weights] of cases) expect(blendLegs(fuse(legs), legs, weights)).toEqual(fuse(legs));
      }),
    );
  });

  it('lets a vector that is far ahead win over two middling ranks, where ranks alone would not', () => {
    const legs = [
      leg('keywords', [
        [1, 9],
        [2, 8.9],
        [3, 8.8],
      ]),
      leg('vectors', [
        [4, 0.92],
        [3, 0.41],
        [2, 0.4],
        [1, 0.39],
      ]),
    ];
    expect(fuse(legs)[0]?.label).not.toBe(4);
    expect(blendLegs(fuse(legs), legs, { ...WEIGHTS, cosine: 2 })[0]?.label).toBe(4);
  });
});
