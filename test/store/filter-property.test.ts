import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue, Metadata } from '../../src/model/document.js';
import { FilterBench } from './filter-fixture.js';

// Few names and values, so that filters and documents meet.
const key = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'c"d', '');
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

const field = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'a.b.a', 'a.a', 'c"d', '', '$id', '$title');
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
  ),
}));

/** Knows every field that a filter may name, so that no filter fails for an unknown one. */
const everyField: Metadata = { a: { b: { a: 1 }, a: 1 }, b: { a: 1 }, 'c"d': 1, '': 1 };

describe('filters', () => {
  it('mean the same in SQL as in plain TypeScript', () => {
    fc.assert(
      fc.property(
        fc.array(metadata, { minLength: 1, maxLength: 12 }),
        fc.array(filter, { minLength: 1, maxLength: 12 }),
        (documents, filters) => {
          const bench = new FilterBench([everyField, ...documents]);
          try {
            for (const one of filters) expect(bench.bySql(one)).toEqual(bench.byTwin(one));
          } finally {
            bench.db.close();
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
