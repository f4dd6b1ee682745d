import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIsoDate } from '../../src/store/filter/iso-date.js';
import { FilterBench } from './filter-fixture.js';

const two = (number: number) => String(number).padStart(2, '0');
const part = fc.integer({ min: 0, max: 70 }).map(two);
const year = fc.oneof(fc.constantFrom(0, 4, 99, 1900, 1970, 2000, 2023, 2024, 9999), fc.nat(9999));
const zone = fc.oneof(
  fc.constantFrom('', 'Z', 'z', '+00:00', '-0000', '+1', ' Z'),
  fc.tuple(fc.constantFrom('+', '-'), part, fc.constantFrom(':', ''), part).map((parts) => parts.join('')),
);
const time = fc.oneof(
  fc.constant(''),
  fc
    .tuple(
      fc.constantFrom('T', ' ', 't', ''),
      fc.integer({ min: 0, max: 25 }).map(two),
      part,
      fc.oneof(
        fc.constant(''),
        part.map((second) => `:${second}`),
      ),
      fc.oneof(
        fc.constant(''),
        fc.string({ unit: fc.constantFrom('0', '5', '9'), maxLength: 7 }).map((f) => `.${f}`),
      ),
      zone,
    )
    .map(([mark, hour, minute, ...rest]) => `${mark}${hour}:${minute}${rest.join('')}`),
);
const month = fc.integer({ min: 0, max: 13 }).map(two);
const day = fc.integer({ min: 0, max: 32 }).map(two);
const date = fc
  .tuple(year, month, day, time)
  .map(([year, month, day, time]) => `${String(year).padStart(4, '0')}-${month}-${day}${time}`);

describe('dates', () => {
  it.each([
    ['2024-01-01', Date.UTC(2024, 0, 1)],
    ['1969-12-31', -86_400_000],
    ['2024-02-29T23:59:59.999Z', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ['2024-01-01 12:30', Date.UTC(2024, 0, 1, 12, 30)],
    ['2024-01-01T00:00:00+02:00', Date.UTC(2023, 11, 31, 22)],
    ['2024-01-01T00:00-0130', Date.UTC(2024, 0, 1, 1, 30)],
    ['2024-01-01T00:00:00.1239Z', Date.UTC(2024, 0, 1) + 123],
    ['0000-01-01', -62_167_219_200_000],
    ['9999-12-31T23:59:59.9Z', 253_402_300_799_900],
  ])('%s is a moment', (text, ms) => {
    expect(parseIsoDate(text)).toBe(ms);
  });

  it.each([
    '2024-1-1',
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-00-01',
    '2024-13-01',
    '2024-01-01T24:00',
    '2024-01-01T00:60',
    '2024-01-01T00:00:60',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00',
    '2024-01-01Z',
    '2024-01-01T00:00+2:00',
    '2024-01-01T00:00+24:00',
    '+002024-01-01',
    '2024-01-01\n',
    ' 2024-01-01',
    '٢٠٢٤-01-01',
    '',
  ])('%j is none', (text) => {
    expect(parseIsoDate(text)).toBeUndefined();
  });

  it('are those of the calendar that JavaScript has', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(-62_167_219_200_000), max: new Date(253_402_300_799_999) }),
        (date) => {
          fc.pre(!Number.isNaN(date.getTime()));
          expect(parseIsoDate(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  it('are the same to the native index, which compares them in milliseconds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(date, { minLength: 30, maxLength: 30 }),
        fc.array(date),
        async (texts, bounds) => {
          const bench = new FilterBench(texts.map((at) => ({ at })));
          for (const bound of [...bounds, '0000-01-01']) {
            for (const filter of [{ at: { gte: bound } }, { at: { lt: bound } }]) {
              expect(await bench.byIndex(filter)).toEqual(bench.byTwin(filter));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('compare as moments, whatever their zone, and leave other strings out', async () => {
    const bench = new FilterBench([
      { at: '2024-01-01' },
      { at: '2024-01-01T00:00:00+02:00' },
      { at: '2024-01-01T02:00:00+02:00' },
      { at: '2024' },
      { at: Date.UTC(2024, 0, 1) },
      { at: ['x', '2025-06-01'] },
    ]);
    for (const [filter, expected] of [
      [{ at: { lt: '2024-01-01' } }, [1]],
      [{ at: { gte: '2024-01-01', lte: '2024-01-01' } }, [0, 2]],
      [{ at: { gte: new Date(Date.UTC(2024, 0, 1)) } }, [0, 2, 5]],
      [{ at: { gte: '2024' } }, [0, 1, 2, 3, 5]],
      [{ at: '2024-01-01' }, [0]],
      [{ at: new Date(Date.UTC(2024, 0, 1)) }, []],
      [{ at: { gt: 0 } }, [4]],
    ] as const) {
      expect(bench.byTwin(filter)).toEqual(expected);
      expect(await bench.byIndex(filter)).toEqual(expected);
    }
  });
});

describe('as_of', () => {
  const bench = new FilterBench([
    /* 0 */ {},
    /* 1 */ { valid_from: '2024-05-01' },
    /* 2 */ { valid_from: '2024-05-01T00:00:01Z' },
    /* 3 */ { valid_until: '2024-05-01' },
    /* 4 */ { valid_until: '2024-05-01T00:00:00.001Z', valid_from: null },
    /* 5 */ { valid_from: Date.UTC(2024, 0, 1), valid_until: Date.UTC(2025, 0, 1) },
    /* 6 */ { valid_from: Date.UTC(2025, 0, 1), valid_until: null },
    /* 7 */ { valid_from: 'spring', valid_until: null },
    /* 8 */ { valid_from: [], valid_until: null },
    /* 9 */ { effective: { start: '2024-01-01', end: '2024-06-01' } },
  ]);

  it.each([
    ['a day', { as_of: '2024-05-01' }, [0, 1, 4, 5, 9]],
    ['milliseconds', { as_of: Date.UTC(2024, 4, 1) }, [0, 1, 4, 5, 9]],
    ['a Date', { as_of: new Date(Date.UTC(2024, 4, 1)) }, [0, 1, 4, 5, 9]],
    ['with a zone', { as_of: '2024-05-01T00:00:00+01:00' }, [0, 3, 4, 5, 9]],
    ['its negation', { not: { as_of: { at: '2024-05-01' } } }, [2, 3, 6, 7, 8]],
    [
      'other fields',
      { as_of: { at: '2024-07-01', from: 'effective.start', until: 'effective.end' } },
      without(9),
    ],
    [
      'one other field',
      { as_of: { at: '2023-07-01', from: 'effective.start' } },
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ],
  ])('%s', async (_name, filter, expected) => {
    expect(bench.byTwin(filter)).toEqual(expected);
    expect(await bench.byIndex(filter)).toEqual(expected);
  });

  it('finds everything valid where no document has the usual fields, but not where named ones are unknown', async () => {
    const plain = new FilterBench([{ a: 1 }, {}]);
    expect(await plain.byIndex({ as_of: '2024-05-01' })).toEqual([0, 1]);
    await expect(plain.byIndex({ as_of: { at: 0, until: 'valid_until' } })).rejects.toMatchObject({
      code: 'SLUICE_FILTER_UNKNOWN_FIELD',
    });
  });
});

function without(...left: number[]): number[] {
  return Array.from({ length: 10 }, (_, i) => i).filter((i) => !left.includes(i));
}
