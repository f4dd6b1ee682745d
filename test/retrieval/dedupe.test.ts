import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dedupe, type Span } from '../../src/retrieval/index.js';

const NO_CAP = { overlapShare: 0.3, perDocument: Number.POSITIVE_INFINITY };

function span(documentId: string, start: number, end: number): Span {
  return { documentId, start, end };
}

describe('dedupe', () => {
  it('X4: of five overlapping windows the best stays, and the other documents come in', () => {
    const windows = [0, 20, 40, 60, 80].map((start) => span('a', start, start + 400));
    const others = ['b', 'c', 'd', 'e'].map((id) => span(id, 0, 400));
    const { rows, setAside } = dedupe([...windows, ...others], { k: 5, ...NO_CAP });
    expect(rows).toEqual([0, 5, 6, 7, 8]);
    expect(setAside).toEqual([1, 2, 3, 4].map((row) => ({ row, reason: 'overlap', because: 0 })));
  });

  it('X4: fills up in the order of the ranking where there are too few others', () => {
    const windows = [0, 20, 40, 60, 80].map((start) => span('a', start, start + 400));
    const others = ['b', 'c', 'd'].map((id) => span(id, 0, 400));
    const selection = dedupe([...windows, ...others], { k: 5, ...NO_CAP });
    expect(selection.rows).toEqual([0, 1, 5, 6, 7]);
    expect(selection.distinct).toBe(4);
  });

  it('U1: equal text in two sources stays two hits', () => {
    expect(dedupe([span('a', 0, 10), span('b', 0, 10)], { k: 2, ...NO_CAP }).distinct).toBe(2);
  });

  it('takes neighbours with the ordinary overlap for two passages, and a contained span for one', () => {
    expect(dedupe([span('a', 0, 100), span('a', 85, 185)], { k: 2, ...NO_CAP }).distinct).toBe(2);
    expect(dedupe([span('a', 0, 100), span('a', 40, 60)], { k: 2, ...NO_CAP }).distinct).toBe(1);
    expect(dedupe([span('a', 0, 100), span('a', 70, 170)], { k: 2, ...NO_CAP }).distinct).toBe(1);
    expect(
      dedupe([span('a', 0, 100), span('a', 100, 200)], { k: 2, ...NO_CAP, overlapShare: 0.01 }).distinct,
    ).toBe(2);
  });

  it('caps hits per document, filling over the cap before overlapping ones', () => {
    const spans = [
      span('a', 0, 100),
      span('a', 10, 110),
      span('a', 200, 300),
      span('a', 400, 500),
      span('b', 0, 9),
    ];
    const capped = { overlapShare: 0.3, perDocument: 1 };
    expect(dedupe(spans, { k: 2, ...capped }).rows).toEqual([0, 4]);
    expect(dedupe(spans, { k: 4, ...capped }).rows).toEqual([0, 2, 3, 4]);
    expect(dedupe(spans, { k: 9, ...capped }).rows).toEqual([0, 1, 2, 3, 4]);
  });

  const spans = fc.array(
    fc
      .tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(50), fc.nat(30))
      .map(([documentId, start, length]) => span(documentId, start, start + length)),
    { maxLength: 25 },
  );

  it('returns min(k, rows) rows in order, the best first, and none that a better kept one makes needless', () => {
    fc.assert(
      fc.property(
        spans,
        fc.nat(30),
        fc.constantFrom(0.01, 0.3, 1),
        fc.constantFrom(1, 2, 99),
        (all, k, overlapShare, perDocument) => {
          const { rows, setAside, distinct } = dedupe(all, { k, overlapShare, perDocument });
          expect(rows).toHaveLength(Math.min(k, all.length));
          expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
          if (rows.length > 0) expect(rows[0]).toBe(0);
          const passedOver = new Set(setAside.map(({ row }) => row));
          const kept = rows.filter((row) => !passedOver.has(row));
          expect(kept).toHaveLength(distinct);
          for (const [i, a] of kept.entries()) {
            for (const b of kept.slice(i + 1)) expect(shared(all[a]!, all[b]!)).toBeLessThan(overlapShare);
          }
          for (const { because, row } of setAside) expect(because).toBeLessThan(row);
        },
      ),
    );
  });

  function shared(a: Span, b: Span): number {
    const shorter = Math.min(a.end - a.start, b.end - b.start);
    if (a.documentId !== b.documentId || shorter === 0) return 0;
    return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start)) / shorter;
  }
});
