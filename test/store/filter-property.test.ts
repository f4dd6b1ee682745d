import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue, Metadata } from '../../src/model/document.js';
import { FilterBench } from './filter-fixture.js';

// Few names and values, so that filters and documents meet.
const key = fc.constantFrom('valid_from', 'valid_until', 'a', 'b', 'a.b', 'b.a', 'c"d', '');
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

// Moments around one day, so that the edges of validity meet: as dates with and without a zone, and as milliseconds.
const DAY = Date.UTC(2024, 4, 1);
const date = fc.constantFrom(
  '2024-04-30',
  '2024-04-30T23:59:59.999Z',
  '2024-05-01',
  '2024-05-01T00:00Z',
  '2024-05-01 02:00+0200',
  '2024-05-01T00:00:00.001Z',
  '2024-05-01T00:00:00.0019-00:00',
  '2024-05-02T00:00:00+14:00',
  '0000-01-01',
  '9999-12-31T23:59:59.999Z',
);
const milliseconds = fc.oneof(
  fc.integer({ min: DAY - 2, max: DAY + 2 }),
  fc.constantFrom(DAY - 86_400_000, 0, -0, -1, Date.UTC(9999, 11, 31)),
);
/** What is no moment, though it looks like one. */
const noMoment = fc.constantFrom<JsonValue>(
  '',
  'spring',
  '2024',
  '2023-02-29',
  '2024-05-01T24:00',
  ' 2024-05-01',
  '1714521600000',
  true,
  [],
  {},
  [['2024-05-01']],
);
const validity = fc.oneof(
  { weight: 4, arbitrary: date },
  { weight: 3, arbitrary: fc.oneof(milliseconds, fc.constantFrom(DAY + 0.5, 1e21, -1e21)) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: noMoment },
  { weight: 1, arbitrary: fc.array(fc.oneof(date, milliseconds, fc.constant(null)), { maxLength: 3 }) },
) as fc.Arbitrary<JsonValue>;
const metadata = fc
  .tuple(
    fc.dictionary(key, value, { maxKeys: 4 }),
    fc.record({ valid_from: validity, valid_until: validity, a: validity }, { requiredKeys: [] }),
  )
  .map(([some, valid]) => ({ ...some, ...valid })) as fc.Arbitrary<Metadata>;

const field = fc.constantFrom(
  'valid_from',
  'valid_until',
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
const moment = fc.oneof(
  date,
  milliseconds,
  milliseconds.map((ms) => new Date(ms)),
);
const asOf = fc.oneof(moment, fc.record({ at: moment, from: field, until: field }, { requiredKeys: ['at'] }));
const { filter } = fc.letrec<{ filter: Record<string, unknown> }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.dictionary(field, condition, { maxKeys: 2 }),
    fc.record({ and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
    fc.record({ as_of: asOf }),
  ),
}));

/** Knows every field that a filter may name, so that no filter fails for an unknown one. */
const everyField: Metadata = {
  a: { b: { a: 1 }, a: 1 },
  b: { a: 1 },
  'c"d': 1,
  '': 1,
  valid_from: null,
  valid_until: null,
};

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

  it('as_of means what a plain reading of validity says, whatever form moments have', async () => {
    let valid = 0;
    let documents = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ valid_from: validity, valid_until: validity }, { requiredKeys: [] }), {
          minLength: 1,
          maxLength: 30,
        }),
        moment,
        async (validities, at) => {
          const bench = new FilterBench(validities as Metadata[]);
          const ms = momentMs(at)!;
          const expected = validities.flatMap(({ valid_from, valid_until }, i) =>
            holds(valid_from, (from) => from <= ms) && holds(valid_until, (until) => until > ms) ? [i] : [],
          );
          expect(bench.byTwin({ as_of: at })).toEqual(expected);
          expect(await bench.byIndex({ as_of: at })).toEqual(expected);
          valid += expected.length;
          documents += validities.length;
        },
      ),
      { numRuns: Math.ceil(PAIRS / 30) },
    );
    // Neither all nor nearly none: a property over what is never valid would hold of anything.
    expect(valid / documents).toBeGreaterThan(0.1);
    expect(valid / documents).toBeLessThan(0.9);
  }, 600_000);
});

/** Without the engine's parser: strings that the platform reads, of the one form, with a day that there is. */
function momentMs(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d([T ]|$)/.test(value) || /T24/.test(value))
    return undefined;
  const [day] = value.split(/[T ]/);
  const [time = '00:00Z'] = value.split(/[T ]/).slice(1);
  // The platform knows zones with a colon only.
  const zoned = `${day}T${time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')}`;
  const midnight = new Date(`${day}T00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined;
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? undefined : ms;
}

/** A side of validity that is missing or null is open; of a list, one element suffices. */
function holds(side: unknown, test: (ms: number) => boolean): boolean {
  if (side === undefined || side === null) return true;
  const elements = Array.isArray(side) ? side : [side];
  return elements.some((one) => {
    if (one === null) return true;
    const ms = momentMs(one);
    return ms !== undefined && test(ms);
  });
}
