import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { interleave, roundRatios, summarise, disagreements } = await load('lib/rounds.mjs');

const trial = (engine: string, round: number, rate: number, quality = {}) => ({
  engine,
  round,
  rate,
  cpuRate: rate / 2,
  peakRssMiB: 100 + rate,
  quality,
});

describe('interleave', () => {
  it('lets the engines take turns', () => {
    const order = interleave(['a', 'b'], 3).map(
      ({ engine, round }: { engine: string; round: number }) => engine + round,
    );
    expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  it('plans nothing for no rounds', () => {
    expect(interleave(['a', 'b'], 0)).toEqual([]);
  });
});

describe('roundRatios', () => {
  it('pairs the trials of a round, in whatever order they came back', () => {
    const trials = [trial('b', 1, 10), trial('a', 0, 6), trial('b', 0, 3), trial('a', 1, 40)];
    expect(roundRatios(trials, 'a', 'b')).toEqual([2, 4]);
  });

  it('refuses a round without its partner', () => {
    expect(() => roundRatios([trial('a', 0, 1)], 'a', 'b')).toThrow('round 0 has no trial of b');
  });
});

describe('summarise', () => {
  it('takes the median of the ratios, not the ratio of the medians', () => {
    const trials = [
      ...[10, 30, 20].map((rate, round) => trial('a', round, rate, { recall: 0.9 + round / 100 })),
      ...[1, 30, 4].map((rate, round) => trial('b', round, rate, { recall: 0.8 })),
    ];
    const { engines, ratios } = summarise(trials, ['a', 'b']);
    expect(ratios).toEqual([{ base: 'b', median: 5, min: 1, max: 10, cpu: { median: 5, min: 1, max: 10 } }]);
    expect(engines[0]).toMatchObject({
      engine: 'a',
      rate: { median: 20, min: 10, max: 30 },
      peakRssMiB: { median: 120, min: 110, max: 130 },
    });
    expect(engines[0].quality.recall.median).toBeCloseTo(0.91);
    expect(engines[1].quality).toEqual({ recall: { median: 0.8, min: 0.8, max: 0.8 } });
  });
});

describe('disagreements', () => {
  it('is silent while all trials agree', () => {
    expect(
      disagreements([trial('a', 0, 1, { tokens: 5 }), trial('b', 0, 1, { tokens: 5 })], ['tokens']),
    ).toEqual([]);
  });

  it('says who differs, and does not take a missing value for agreement', () => {
    const differing = [trial('a', 0, 1, { tokens: 5 }), trial('b', 0, 1, { tokens: 6 })];
    expect(disagreements(differing, ['tokens'])).toEqual(['tokens differs: a 5 (round 1), b 6 (round 1)']);
    expect(disagreements([trial('a', 0, 1)], ['tokens'])).toHaveLength(1);
  });
});
