import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors.js';
import { parseFilter } from '../../src/store/filter/parse.js';
import { closest } from '../../src/store/filter/suggest.js';
import { FilterBench } from './filter-fixture.js';

function errorOf(run: () => unknown): SluiceError {
  try {
    run();
  } catch (error) {
    if (SluiceError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

async function errorOfAsync(run: () => Promise<unknown>): Promise<SluiceError> {
  try {
    await run();
  } catch (error) {
    if (SluiceError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('grammar mistakes', () => {
  const circular: Record<string, unknown> = {};
  circular.not = circular;
  it.each([
    ['not an object', 'lang = en', 'the filter must be an object'],
    ['null', null, 'the filter must be an object, not null'],
    ['an array', [{ a: 1 }], 'the filter must be an object, not an array'],
    ['undefined as a value', { lang: undefined }, "'lang' in the filter cannot be undefined"],
    ['an unknown operator', { year: { greater: 5 } }, "'year.greater' in the filter is no operator"],
    [
      'a misspelt operator next to a right one',
      { year: { gte: 5, lte_: 6 } },
      "'year.lte_' in the filter is no",
    ],
    ['no operator', { year: {} }, "'year' in the filter has no operator"],
    ['an invalid Date', { at: { gt: new Date(Number.NaN) } }, 'an invalid Date'],
    ['a Date in the year 12000', { at: new Date(Date.UTC(12_000, 0)) }, 'outside the years 0 to 9999'],
    ['a BigInt', { year: 5n }, "'year' in the filter cannot be the BigInt 5n"],
    ['a function', { year: () => 5 }, "'year' in the filter cannot be a function"],
    ['Infinity', { year: { lt: Infinity } }, 'not Infinity'],
    ['a Map', new Map(), 'must be an object, not an object'],
    ["another language's and", { $and: [{ a: 1 }] }, "did you mean 'and'?"],
    ["another language's operator", { a: { $gte: 1 } }, "did you mean 'gte'"],
    ['a misspelt operator', { a: { prefx: 'x' } }, "did you mean 'prefix'?"],
    [
      'as_of without a moment',
      { as_of: {} },
      "'as_of.at' in the filter must be an ISO date or whole milliseconds",
    ],
    ['as_of a word', { as_of: 'yesterday' }, "'as_of' in the filter must be an ISO date like 2024-05-01"],
    ['as_of a day that no calendar has', { as_of: '2023-02-29' }, 'must be an ISO date'],
    ['as_of half a millisecond', { as_of: 0.5 }, 'whole milliseconds since 1970, not 0.5'],
    [
      'as_of with another part',
      { as_of: { at: 0, to: 'x' } },
      "'as_of.to' in the filter is no part of as_of",
    ],
    ['as_of with a misspelt part', { as_of: { at: 0, untill: 'x' } }, "did you mean 'until'?"],
    [
      'as_of with a field that is none',
      { as_of: { at: 0, from: 1 } },
      "'as_of.from' in the filter must be the name",
    ],
    ['NaN', { year: Number.NaN }, "'year' in the filter cannot be NaN"],
    [
      'an object in a list',
      { tags: [{ a: 1 }] },
      "'tags[0]' in the filter must be a string, number, boolean or null",
    ],
    ['in with a scalar', { lang: { in: 'en' } }, "'lang.in' in the filter must be an array"],
    [
      'a range on a boolean',
      { ok: { gt: true } },
      "'ok.gt' in the filter must be a number, a string or a date, not true",
    ],
    ['exists with a string', { ok: { exists: 'yes' } }, "'ok.exists' in the filter must be true or false"],
    [
      'a prefix that is no string',
      { ok: { prefix: 1 } },
      "'ok.prefix' in the filter must be a string, not 1",
    ],
    ['and without an array', { and: { a: 1 } }, "'and' in the filter must be an array of filters"],
    ['a hole in an array', { or: [undefined] }, "'or[0]' in the filter must be an object, not undefined"],
    ['a filter in itself', circular, 'nested deeper than 100 levels'],
  ])('%s', (_name, filter, message) => {
    const error = errorOf(() => parseFilter(filter));
    expect(error.code).toBe('SLUICE_FILTER_INVALID');
    expect(error.message).toContain(message);
    expect(error.hint).toContain('operators');
  });

  it('names a limit for too many conditions', () => {
    const filter = { or: Array.from({ length: 2_001 }, (_, i) => ({ a: i })) };
    expect(errorOf(() => parseFilter(filter)).message).toContain('2000 are allowed');
  });
});

describe('unknown fields', () => {
  const bench = new FilterBench([{ language: 'en', author: { name: 'x' }, year: 1 }]);
  it.each([
    ['langauge', "did you mean 'language'?"],
    ['Year', "did you mean 'year'?"],
    ['name', "did you mean 'author.name'?"],
    ['source', "did you mean '$source'?"],
    ['$sorce', "did you mean '$source'?"],
    ['collection', 'fields are $format, $id, $source, $title, author, author.name, language, year'],
  ])('%s', async (field, hint) => {
    for (const condition of ['x', { exists: false }, { ne: 1 }]) {
      const error = await errorOfAsync(() => bench.byIndex({ [field]: condition }));
      expect(error.code).toBe('SLUICE_FILTER_UNKNOWN_FIELD');
      expect(error.message).toContain(`no document has a field '${field}'`);
      expect(error.message).toContain(hint);
      expect(error.message).toContain('a filter is { field: value }');
      expect(error.details.field).toBe(field);
    }
  });

  it('are told with some of many fields', async () => {
    const wide = new FilterBench([Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}x`, i]))]);
    const error = await errorOfAsync(() => wide.byIndex({ collection: 1 }));
    expect(error.hint).toMatch(/^fields are \$format, .*, f\d+x and 14 more; a filter is/);
  });

  it('suggests nothing that is far off', () => {
    expect(closest('zzz', ['language', 'year'])).toEqual([]);
  });
});
