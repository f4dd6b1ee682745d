import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/model/document.js';
import { encodeFilter } from '../../src/store/filter/node.js';
import { parseFilter } from '../../src/store/filter/parse.js';
import { FilterBench } from './filter-fixture.js';

const bench = new FilterBench([
  /* 0 */ {},
  /* 1 */ { v: null },
  /* 2 */ { v: [] },
  /* 3 */ { v: {} },
  /* 4 */ { v: 0 },
  /* 5 */ { v: '' },
  /* 6 */ { v: false },
  /* 7 */ { v: 1 },
  /* 8 */ { v: true },
  /* 9 */ { v: '1' },
  /* 10 */ { v: [1, 'a'] },
  /* 11 */ { v: [null] },
  /* 12 */ { v: 'a' },
  /* 13 */ { v: '2024-05-01' },
  /* 14 */ { v: 2.5 },
  /* 15 */ { v: ['a', 'b', 'b'] },
  /* 16 */ { v: { w: 1 } },
  /* 17 */ { v: [[1], { w: 1 }] },
  /* 18 */ { v: 'a_b%c' },
  /* 19 */ { v: 'axbyc' },
  /* 20 */ { v: -3 },
]);
const all = Array.from({ length: 21 }, (_, i) => i);
const without = (...left: number[]) => all.filter((i) => !left.includes(i));

describe('the truth table of filters', () => {
  const rows: [string, unknown, number[]][] = [
    ['equality with a number', { v: 1 }, [7, 10]],
    ['a string is no number', { v: '1' }, [9]],
    ['true is not 1', { v: true }, [8]],
    ['false is not 0', { v: false }, [6]],
    ['zero', { v: 0 }, [4]],
    ['the empty string', { v: '' }, [5]],
    ['explicitly null, alone or in an array', { v: null }, [1, 11]],
    ['missing', { v: { exists: false } }, [0]],
    ['present, null and empty included', { v: { exists: true } }, without(0)],
    ['a set with falsy values', { v: [0, '', false] }, [4, 5, 6]],
    ['a set with null', { v: [null, 1] }, [1, 7, 10, 11]],
    ['an empty set', { v: [] }, []],
    ['not in an empty set', { v: { nin: [] } }, all],
    ['ne is an exact negation', { v: { ne: 1 } }, without(7, 10)],
    ['nin is an exact negation', { v: { nin: [0, 'a', null] } }, without(1, 4, 10, 11, 12, 15)],
    ['ne null', { v: { ne: null } }, without(1, 11)],
    ['greater, numbers only', { v: { gt: 0 } }, [7, 10, 14]],
    ['at least', { v: { gte: 1, lt: 2.5 } }, [7, 10]],
    ['at most, negative', { v: { lte: 0 } }, [4, 20]],
    ['a range of ISO dates', { v: { gte: '2024-01-01', lt: '2025-01-01' } }, [13]],
    ['strings after a', { v: { gt: 'a' } }, [15, 18, 19]],
    ['overlap', { v: { overlaps: ['b', 1] } }, [7, 10, 15]],
    ['contains all', { v: { contains: ['a', 'b'] } }, [15]],
    ['contains one', { v: { contains: [1] } }, [7, 10]],
    ['contains nothing is true of what exists', { v: { contains: [] } }, without(0)],
    ['contains null', { v: { contains: [null] } }, [1, 11]],
    ['prefix', { v: { prefix: 'a' } }, [10, 12, 15, 18, 19]],
    ['_ is literal in a prefix', { v: { prefix: 'a_b' } }, [18]],
    ['% is literal in a prefix', { v: { prefix: 'a_b%' } }, [18]],
    ['the empty prefix is of every string', { v: { prefix: '' } }, [5, 9, 10, 12, 13, 15, 18, 19]],
    ['a nested field', { 'v.w': 1 }, [16]],
    ['a nested field is missing elsewhere', { 'v.w': { exists: false } }, without(16)],
    ['several operators hold together', { v: { gt: 0, ne: 1 } }, [14]],
    ['and', { and: [{ v: { gt: 0 } }, { v: { lt: 2 } }] }, [7, 10]],
    ['or', { or: [{ v: 'a' }, { v: 0 }] }, [4, 10, 12, 15]],
    ['not', { not: { v: { exists: true } } }, [0]],
    ['not over a missing field', { not: { v: { gt: 0 } } }, without(7, 10, 14)],
    ['nothing', {}, all],
    ['and of nothing', { and: [] }, all],
    ['or of nothing', { or: [] }, []],
    ['operators and fields side by side', { v: { exists: true }, not: { v: { ne: 0 } } }, [4]],
    ['the id', { $id: 'doc 3' }, [3]],
    ['ids', { $id: ['doc 3', 'doc 4'] }, [3, 4]],
    ['the source by prefix', { $source: { prefix: 'doc 2' } }, [2, 20]],
    ['the title after a string', { $title: { gte: 'title 9' } }, [9]],
    ['the format', { $format: { ne: 'text' } }, []],
    ['an element of the id', { $id: { contains: ['doc 3'] } }, [3]],
  ];

  it.each(rows)('%s', async (_name, filter, expected) => {
    expect(bench.byTwin(filter)).toEqual(expected);
    expect(await bench.byIndex(filter)).toEqual(expected);
  });
});

describe('the truth table of as_of', () => {
  const [at, before, after] = ['2024-05-01', '2024-04-30', '2024-05-02'];
  const ms = Date.UTC(2024, 4, 1);
  const validities = new FilterBench([
    /* 0 */ {},
    /* 1 */ { valid_from: null, valid_until: null },
    /* 2 */ { valid_from: at },
    /* 3 */ { valid_from: ms },
    /* 4 */ { valid_until: at },
    /* 5 */ { valid_until: ms },
    /* 6 */ { valid_from: before, valid_until: after },
    /* 7 */ { valid_from: 'soon' },
    /* 8 */ { valid_from: [] },
    /* 9 */ { valid_until: false },
    /* 10 */ { valid_from: after, valid_until: before },
    /* 11 */ { start: at, end: after },
  ]);
  const rows: [string, unknown, number[]][] = [
    ['before: what has not begun is out', before, [0, 1, 4, 5, 6, 11]],
    ['at the moment: it has begun, and what ends then is over', at, [0, 1, 2, 3, 6, 11]],
    ['the same moment in milliseconds', ms, [0, 1, 2, 3, 6, 11]],
    ['the same moment as a Date', new Date(ms), [0, 1, 2, 3, 6, 11]],
    ['the same moment in another zone', '2024-05-01T02:00+02:00', [0, 1, 2, 3, 6, 11]],
    ['after: what ended is out', after, [0, 1, 2, 3, 11]],
    ['named fields, which must exist somewhere', { at, from: 'start', until: 'end' }, all.slice(0, 12)],
    ['named fields before', { at: before, from: 'start', until: 'end' }, all.slice(0, 11)],
    ['one named, the other as usual', { at: before, from: 'start' }, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ];

  it.each(rows)('%s', async (_name, as_of, expected) => {
    expect(validities.byTwin({ as_of })).toEqual(expected);
    expect(await validities.byIndex({ as_of })).toEqual(expected);
    const others = all.slice(0, 12).filter((i) => !expected.includes(i));
    expect(await validities.byIndex({ not: { as_of } })).toEqual(others);
  });
});

describe('keys with dots and other odd names', () => {
  const odd = new FilterBench([
    { 'a.b': 1 },
    { a: { b: 1 } },
    { 'a.b': 2, a: { b: 1 } },
    { 'a"b': 1, 'c\\d': 1, "e'f": 1, 'g[0]': 1, '': 1, 'ü.😀': 1, '$."h"': 1 },
    { a: { 'b.c': 3 } },
    { 'a.b': { c: 3 } },
    { a: { b: { c: 3 } } },
    { constructor: 1, __proto__x: 1, $name: 1 },
  ]);

  it('tries the literal key first, then nested ones, document by document', async () => {
    expect(await odd.byIndex({ 'a.b': 1 })).toEqual([0, 1]);
    expect(await odd.byIndex({ 'a.b': 2 })).toEqual([2]);
    expect(await odd.byIndex({ 'a.b.c': 3 })).toEqual([4, 5, 6]);
    for (const filter of [{ 'a.b': 1 }, { 'a.b': 2 }, { 'a.b.c': 3 }]) {
      expect(odd.byTwin(filter)).toEqual(await odd.byIndex(filter));
    }
  });

  it.each(['a"b', 'c\\d', "e'f", 'g[0]', '', 'ü.😀', '$."h"'])('reaches the key %j', async (key) => {
    expect(await odd.byIndex({ [key]: 1 })).toEqual([3]);
  });

  it('reaches the key __proto__, at any depth', async () => {
    const bench = new FilterBench([
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"a":{"__proto__":{"b":"x"}}}'),
      { a: {} },
    ]);
    for (const [filter, expected] of [
      ['{"__proto__":1}', [0]],
      ['{"__proto__":{"exists":false}}', [1, 2]],
      ['{"a.__proto__.b":{"prefix":"x"}}', [1]],
    ] as const) {
      expect(await bench.byIndex(JSON.parse(filter))).toEqual(expected);
      expect(bench.byTwin(JSON.parse(filter))).toEqual(expected);
    }
  });

  it('knows no document field in the metadata, but what lies inside one of its name', async () => {
    const bench = new FilterBench([{ $id: 'x' }, { $id: { y: 2 }, '$title.z': 3 }]);
    for (const [filter, expected] of [
      [{ $id: 'x' }, []],
      [{ $id: 'doc 0' }, [0]],
      [{ '$id.y': 2 }, [1]],
      [{ '$title.z': 3 }, [1]],
    ] as const) {
      expect(await bench.byIndex(filter)).toEqual(expected);
      expect(bench.byTwin(filter)).toEqual(expected);
    }
  });

  it('reaches names that objects inherit, and metadata with a dollar', async () => {
    expect(await odd.byIndex({ constructor: 1 })).toEqual([7]);
    expect(await odd.byIndex({ $name: 1 })).toEqual([7]);
    expect(odd.byTwin({ constructor: { exists: false } })).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('large filters', () => {
  it('are encoded in pieces as they would be at once', async () => {
    const long = Array.from({ length: 9_001 }, (_, i) => [`"${i}`, i, null, true][i % 4]!);
    const filter = { or: [{ a: long, b: 1 }, { not: { 'c"]': { contains: long.slice(0, 4_001) } } }] };
    const node = parseFilter(filter);
    expect(JSON.parse(await encodeFilter(node))).toEqual(node);
    expect(await encodeFilter(node)).toBe(JSON.stringify(node));
  });

  it('takes 10,000 values', async () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i % 2 ? i + 100 : `x${i}`));
    expect(await bench.byIndex({ v: [...values, 2.5, 'a'] })).toEqual([10, 12, 14, 15]);
    expect(await bench.byIndex({ v: { nin: [...values, 2.5, 'a'] } })).toEqual(without(10, 12, 14, 15));
  });

  it('takes 2,000 conditions side by side', async () => {
    const conditions = Array.from({ length: 2_000 }, (_, i) => ({ v: { ne: i } }));
    expect(await bench.byIndex({ and: conditions })).toEqual(without(4, 7, 10));
  });

  it('takes filters and metadata as deep as they may be', async () => {
    let filter: unknown = { v: 1 };
    for (let i = 0; i < 100; i++) filter = { and: [filter], or: [{ v: { gte: 1, lte: 1 } }] };
    expect(await bench.byIndex(filter)).toEqual([7, 10]);
    let metadata: Metadata = { end: 'x' };
    for (let i = 0; i < 198; i++) metadata = i % 2 ? { a: metadata } : { a: [metadata], b: i };
    const deep = new FilterBench([metadata, { a: 1 }]);
    expect(await deep.byIndex({ a: { contains: [] } })).toEqual([0, 1]);
    expect(await deep.byIndex({ 'a.b': 196 })).toEqual([0]);
  });

  it('takes deep nesting', async () => {
    let filter: unknown = { v: 1 };
    for (let i = 0; i < 30; i++) filter = { not: { and: [{ or: [filter] }] } };
    expect(await bench.byIndex({ and: [filter] })).toEqual([7, 10]);
  }, 20_000);
});
