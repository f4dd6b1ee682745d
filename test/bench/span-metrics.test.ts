import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { precisionOmega, retrievalScores } = await load('lib/span-metrics.mjs');

interface Span {
  document: string;
  start: number;
  end: number;
}
const span = (start: number, end: number, document = 'a'): Span => ({ document, start, end });

describe('retrievalScores', () => {
  it('counts by hand', () => {
    // Excerpts of 20 + 10; found are 10 of the first, in 30 characters that were read.
    const scores = retrievalScores([span(10, 30), span(0, 10, 'b')], [span(20, 40), span(90, 100)]);
    expect(scores.recall).toBeCloseTo(10 / 30);
    expect(scores.precision).toBeCloseTo(10 / 30);
    expect(scores.iou).toBeCloseTo(10 / 50);
  });

  it('finds nothing in nothing', () => {
    expect(retrievalScores([], [span(0, 5)])).toEqual({ recall: 0, precision: 0, iou: 0 });
  });

  it('pays for what is retrieved twice, and finds it once', () => {
    const once = retrievalScores([span(0, 100)], [span(50, 60)]);
    const twice = retrievalScores([span(0, 100), span(0, 100)], [span(50, 60)]);
    expect(twice.recall).toBe(once.recall);
    expect(twice.precision).toBeCloseTo(once.precision / 2);
    expect(twice.iou).toBeLessThan(once.iou);
  });

  it('is what counting character by character gives', () => {
    const spans = fc
      .array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 20 }), fc.constantFrom('a', 'b')), {
        minLength: 1,
        maxLength: 5,
      })
      .map((rows) => rows.map(([start, length, document]) => span(start, start + length, document)));
    fc.assert(
      fc.property(spans, spans, (retrieved, mixed) => {
        const excerpts = mixed.map((one) => ({ ...one, document: 'a' }));
        const wanted = charactersOf(excerpts);
        const found = new Set([...charactersOf(retrieved)].filter((at) => wanted.has(at))).size;
        const read = retrieved.reduce((sum, { start, end }) => sum + end - start, 0);
        const scores = retrievalScores(retrieved, excerpts);
        expect(scores.recall).toBeCloseTo(found / wanted.size);
        expect(scores.precision).toBeCloseTo(found / read);
        expect(scores.iou).toBeCloseTo(found / (read + wanted.size - found));
        const holding = charactersOf(
          retrieved.filter((chunk) => [...charactersOf([chunk])].some((at) => wanted.has(at))),
        );
        const all = new Set([...holding, ...wanted]).size;
        expect(precisionOmega(retrieved, excerpts)).toBeCloseTo(found / all);
      }),
    );
  });
});

function charactersOf(spans: Span[]): Set<string> {
  return new Set(
    spans.flatMap(({ document, start, end }) =>
      Array.from({ length: end - start }, (_, i) => `${document}${start + i}`),
    ),
  );
}

describe('precisionOmega', () => {
  it('retrieves exactly the chunks that hold some of an excerpt', () => {
    const chunks = [span(0, 10), span(10, 20), span(20, 30), span(10, 20, 'b')];
    expect(precisionOmega(chunks, [span(12, 16)])).toBeCloseTo(4 / 10);
    // One that only touches an excerpt holds nothing of it.
    expect(precisionOmega(chunks, [span(10, 20)])).toBe(1);
    expect(precisionOmega(chunks, [span(5, 15)])).toBeCloseTo(10 / 20);
  });

  it('counts what no chunk holds as missed', () => {
    expect(precisionOmega([span(0, 10)], [span(5, 15)])).toBeCloseTo(5 / 15);
  });
});
