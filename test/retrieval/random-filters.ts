import fc from 'fast-check';
import type { Metadata } from '../../src/model/document.js';
import type { Filter } from '../../src/model/filter.js';

/** Random metadata and random filters over the same few fields and values, so that they meet. */
const DATES = [
  '2023-12-31',
  '2024-05-01',
  '2024-05-01T01:00+02:00',
  '2024-06-30 12:00',
  '2025-01-01T00:00:00.001Z',
];
const scalar = fc.constantFrom(0, 1, -3.5, 2024, '1', '', 'en', 'é', '😀', '2024-05-01', true, false, null);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.record({ deep: scalar, also: fc.array(scalar, { maxLength: 2 }) }, { requiredKeys: [] }),
  },
);
/** Of every form that a moment of validity has, and some that are valid never. */
const moment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...DATES) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...DATES.map((date) => Date.parse(`${date.slice(0, 10)}T00:00Z`))),
  },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom('spring', '2023-02-29', true, [], ['2024-05-01', null]) },
);

export const metadata = fc.record(
  {
    a: value,
    b: value,
    'c.d': value,
    c: value,
    tenant: fc.constantFrom('x', 'y', 'z'),
    at: fc.oneof(fc.constantFrom(...DATES), fc.array(fc.constantFrom(...DATES, 'never'), { maxLength: 2 })),
    valid_from: moment,
    valid_until: moment,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Metadata>;

/** Of a document that is always there, so that no filter fails for an unknown field. */
export const EVERY_FIELD: Metadata = {
  a: { deep: 0, also: [] },
  b: { deep: 0, also: [] },
  'c.d': 0,
  c: { deep: 0, also: [], d: 0 },
  tenant: 'x',
  at: '2024-05-01',
  share: 0,
  valid_from: null,
  valid_until: null,
};

const bound = fc.oneof(
  fc.constantFrom(-5, 0, 1, 3_000, '2024', 'f'),
  fc.constantFrom(...DATES),
  fc.constant(new Date('2024-05-01T12:00Z')),
);
const condition = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ eq: scalar }),
  fc.record({ ne: scalar }),
  fc.record({ in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ nin: fc.array(scalar, { maxLength: 3 }) }),
  fc.oneof(
    fc.record({ gt: bound }),
    fc.record({ lte: bound }),
    fc.record({ gte: bound, lt: bound }, { requiredKeys: ['gte'] }),
  ),
  fc.record({ overlaps: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ contains: fc.array(scalar, { maxLength: 2 }) }),
  fc.record({ prefix: fc.constantFrom('', '2024', 'e') }),
  fc.record({ exists: fc.boolean() }),
);
const field = fc.constantFrom('a', 'b', 'c', 'c.d', 'a.deep', 'b.also', 'tenant', 'at', 'valid_from');
const asOf = fc.oneof(
  fc.constantFrom(...DATES, Date.UTC(2024, 4, 1), new Date('2024-06-01')),
  fc.record({ at: fc.constantFrom(...DATES), from: fc.constantFrom('at', 'valid_from') }),
);
/** Lets about so much through of whatever else it is joined with: see the field `share` of the plain documents. */
const share = fc.oneof(
  fc.record({ lt: fc.constantFrom(0.23, 0.24, 0.5, 0.7, 0.9, 0.99, 2) }),
  fc.record({ gte: fc.constantFrom(0.01, 0.1, 0.4, 0.76, 0.77) }),
);

const { random } = fc.letrec<{ random: Filter }>((tie) => ({
  random: fc.oneof(
    { depthSize: 'small' },
    fc.dictionary(field, condition, { minKeys: 1, maxKeys: 2 }),
    fc.record({ $id: fc.record({ prefix: fc.constantFrom('d1', 'd2', 'd') }) }),
    fc.constantFrom(
      { $source: { gte: 'd5' } },
      { $title: 'copy' },
      { $title: { prefix: 'd2' } },
      { $format: 'text' },
    ),
    fc.record({ as_of: asOf }),
    fc.record({ and: fc.array(tie('random'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('random'), { maxLength: 3 }) }),
    fc.record({ not: tie('random') }),
  ) as fc.Arbitrary<Filter>,
}));

/** Every operator, and half of the filters so broad that a graph is walked under them. */
export const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 3, arbitrary: random },
  { weight: 2, arbitrary: fc.record({ share }) as fc.Arbitrary<Filter> },
  {
    weight: 1,
    arbitrary: fc.record({
      or: fc.tuple(fc.record({ share }), random).map((both) => both as Filter[]),
    }) as fc.Arbitrary<Filter>,
  },
  { weight: 1, arbitrary: fc.constant({}) },
);
