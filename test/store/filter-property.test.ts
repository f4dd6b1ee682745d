import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue, Metadata } from '../../src/model/document.js';
import { FilterBench } from './filter-fixture.js';

// Few names and values, so that filters and documents meet.
const key = fc.constantFrom('valid_from', 'a', 'b', 'a.b', 'b.a', 'c"d', '');
const text = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    'a',
    'ab',
    'a_',
    '%',
    'true',
    'null',
    '2024-01-01',
    '2024-01-01T00:00:00+02:00',
    '2024-01-01 00:00',
    '2023-02-29',
    '\ud800',
    '\udc00a',
    '\u0000',
    'é',
    'ﬀ',
    '😀',
    '\uffff',
  ),
  fc.string({ maxLength: 3, unit: 'grapheme' }),
);
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.5, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Number.MIN_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));
const metadata = fc.dictionary(key, value, { maxKeys: 4 }) as fc.Arbitrary<Metadata>;

const field = fc.constantFrom(
  'valid_from',
  'a',
  'b',
  'a.b',
  'b.a',
  'a.b.a',
  'a.a',
  'c"d',
  '',
  '$id',
  '$title',
);
const condition = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 4 }),
  fc
    .record(
      {
        eq: scalar,
        ne: scalar,
        in: fc.array(scalar, { maxLength: 4 }),
        nin: fc.array(scalar, { maxLength: 4 }),
        gt: fc.oneof(text, number),
        gte: fc.oneof(text, number),
        lt: fc.oneof(text, number),
        lte: fc.oneof(text, number),
        overlaps: fc.array(scalar, { maxLength: 3 }),
        contains: fc.array(scalar, { maxLength: 2 }),
        prefix: text,
        exists: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .filter((operators) => Object.keys(operators).length > 0),
);
const { filter } = fc.letrec<{ filter: Record<string, unknown> }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.dictionary(field, condition, { maxKeys: 2 }),
    fc.record({ and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
    fc.record({ as_of: fc.constantFrom('2024-01-01', '2023-12-31T23:00Z', 1) }),
  ),
}));

/** Knows every field that a filter may name, so that no filter fails for an unknown one. */
const everyField: Metadata = { a: { b: { a: 1 }, a: 1 }, b: { a: 1 }, 'c"d': 1, '': 1, valid_from: null };

const layout = fc.record({
  segments: fc.array(fc.nat(8), { minLength: 1, maxLength: 4 }),
  file: fc.boolean(),
  dead: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
});

/** Pairs of a filter and a set of documents. All 100,000: SLUICE_FILTER_PAIRS=100000. */
const PAIRS = Number(process.env.SLUICE_FILTER_PAIRS ?? 10_000);
const FILTERS_A_SET = 25;

describe('filters', () => {
  it(`mean the same to the native index as in plain TypeScript, ${PAIRS} times`, async () => {
    let pairs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(metadata, { minLength: 1, maxLength: 12 }),
        fc.array(filter, { minLength: FILTERS_A_SET, maxLength: FILTERS_A_SET }),
        field,
        layout,
        async (documents, filters, facet, layout) => {
          const bench = new FilterBench([everyField, ...documents], layout);
          for (const one of filters) {
            expect(await bench.byIndex(one)).toEqual(bench.byTwin(one));
            pairs++;
          }
          expect(await bench.facetsByIndex(facet, filters[0], 5)).toEqual(
            bench.facetsByTwin(facet, filters[0], 5),
          );
        },
      ),
      { numRuns: Math.ceil(PAIRS / FILTERS_A_SET) },
    );
    expect(pairs).toBeGreaterThanOrEqual(PAIRS);
  }, 600_000);
});
