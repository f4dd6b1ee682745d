import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Filter } from '../src/model/filter.js';
import { searchIndexes } from '../src/search-indexes.js';
import type { SluiceIndex } from '../src/sluice-index.js';
import { evaluateFilter, parseFilter } from '../src/store/index.js';
import { newFolder, newIndex, toyModel } from './index-support.js';

let handbook: SluiceIndex;
let tickets: SluiceIndex;

beforeAll(async () => {
  handbook = await newIndex();
  tickets = await newIndex();
  await handbook.add([
    { id: 'kiln', text: 'The kiln is fired on Mondays.', metadata: { lang: 'en', chapter: 3 } },
    { id: 'keys', text: 'Keys are rotated every quarter.', metadata: { lang: 'en', chapter: 4 } },
  ]);
  await tickets.add([
    { id: 'kiln', text: 'The kiln door jams.', metadata: { lang: 'en', state: 'open' } },
    { id: 'ofen', text: 'Der kiln ist kalt.', metadata: { lang: 'de', state: 'closed' } },
  ]);
});

const names = (hits: readonly { index?: string; documentId: string }[]) =>
  hits.map(({ index, documentId }) => `${index}/${documentId}`).sort();

describe('searchIndexes', () => {
  it('refuses two handles of one folder: every passage would be there twice', async () => {
    const folder = newFolder();
    const link = join(newFolder(), 'link');
    symlinkSync(folder, link, 'junction');
    const [one, other] = [await newIndex({}, folder), await newIndex({}, link)];
    await expect(searchIndexes({ one, other }, 'kiln')).rejects.toMatchObject({
      code: 'SLUICE_USAGE',
      message: expect.stringContaining('one and other are one index'),
    });
  });

  it('answers from all of them, and says which index a hit is of', async () => {
    const { hits, generations } = await searchIndexes({ handbook, tickets }, 'kiln', {
      k: 3,
      legs: { vectors: false },
    });
    expect(names(hits)).toEqual(['handbook/kiln', 'tickets/kiln', 'tickets/ofen']);
    expect(hits.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(generations).toEqual({ handbook: 1, tickets: 1 });
    const all = await searchIndexes([tickets, handbook], 'kiln', { k: 10 });
    expect(new Set(all.hits.map(({ index }) => index))).toEqual(new Set([tickets.folder, handbook.folder]));
    expect(all.hits).toHaveLength(4);
  });

  it('applies a filter to each; a field that only some know is missing in the others', async () => {
    const ask = async (filter: Filter) =>
      names((await searchIndexes({ handbook, tickets }, 'kiln', { k: 9, filter })).hits);
    expect(await ask({ lang: 'de' })).toEqual(['tickets/ofen']);
    expect(await ask({ state: 'open' })).toEqual(['tickets/kiln']);
    expect(await ask({ or: [{ state: 'open' }, { chapter: 4 }] })).toEqual(['handbook/keys', 'tickets/kiln']);
    expect(await ask({ state: { ne: 'open' } })).toEqual(['handbook/keys', 'handbook/kiln', 'tickets/ofen']);
    expect(await ask({ state: { exists: false }, chapter: { gt: 3 } })).toEqual(['handbook/keys']);
    await expect(ask({ or: [{ state: 'open' }, { stat: 'open' }] })).rejects.toMatchObject({
      code: 'SLUICE_FILTER_UNKNOWN_FIELD',
      details: { field: 'stat' },
    });
  });

  it('refuses indexes of different models, naming the field', async () => {
    const other = await newIndex({ model: toyModel('other', 8) });
    const search = searchIndexes({ handbook, other }, 'kiln');
    await expect(search).rejects.toMatchObject({ code: 'SLUICE_PASSPORT_MISMATCH' });
    await expect(search).rejects.toThrow(
      /handbook and other .* embedder.model \(toy and other\), embedder.dims \(16 and 8\)/,
    );
  });

  it.each<[string, () => unknown]>([
    ['no index', () => []],
    ['what is no index', () => [{ search: () => {} }]],
    ['an index twice', () => [handbook, handbook]],
    ['an index under two names', () => ({ a: handbook, b: handbook })],
    ['nothing', () => null],
  ])('refuses %s', async (_, indexes) => {
    await expect(searchIndexes(indexes() as never, 'kiln')).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it('never waits in a ring, in whatever order indexes are named while both are written', async () => {
    const a = await newIndex();
    const b = await newIndex();
    await a.add({ id: 'x', text: 'kiln' });
    await b.add({ id: 'x', text: 'kiln' });
    const searches: Promise<unknown>[] = [];
    for (let round = 0; round < 10; round++) {
      for (let n = 0; n < 4; n++) searches.push(searchIndexes(n % 2 ? [a, b] : [b, a], 'kiln', { k: 1 }));
      await Promise.all([a.add({ id: `a${round}`, text: 'kiln' }), b.add({ id: `b${round}`, text: 'kiln' })]);
    }
    await Promise.all(searches);
    expect((await searchIndexes([a, b], 'kiln', { k: 100 })).hits).toHaveLength(22);
  });

  it('lets through what the filter lets through, whichever index knows its fields', async () => {
    const inA = [
      { id: 'a1', metadata: { created: '2020-01-01', from: '2020-01-01', only: 1 } },
      { id: 'a2', metadata: { created: '2030-01-01T00:00:00.000Z', tags: ['x', 'y'] } },
      { id: 'a3', metadata: { only: null } },
    ];
    const inB = [
      { id: 'b1', metadata: { other: 'x' } },
      { id: 'b2', metadata: { other: 'y', shared: 1 } },
    ];
    const [a, b] = [await newIndex(), await newIndex()];
    const given = (documents: readonly { id: string; metadata: object }[]) =>
      documents.map((one) => ({ ...one, text: 'hello kiln' }) as never);
    await a.add(given(inA));
    await b.add(given([...inB, { id: 'b3', metadata: {} }]));
    const all = [...inA, ...inB, { id: 'b3', metadata: {} }];
    const value = fc.constantFrom(new Date('2030-01-01'), '2020-01-01', 1, 'x', null);
    const condition = fc.oneof(
      value,
      fc.array(value, { maxLength: 2 }),
      fc.record({ ne: value }),
      fc.record({ nin: fc.array(value, { maxLength: 2 }) }),
      fc.record({ gte: fc.constantFrom(new Date('2025-01-01'), 0) }),
      fc.record({ exists: fc.boolean() }),
    );
    const field = fc.constantFrom('created', 'only', 'tags', 'other', 'shared', 'from');
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
      filter: fc.oneof(
        { depthSize: 'small' },
        fc.dictionary(field, condition, { maxKeys: 2 }),
        fc.constant({ as_of: { at: '2024-01-01', from: 'from', until: 'created' } }),
        fc.record({ and: fc.array(tie('filter'), { maxLength: 2 }) }),
        fc.record({ or: fc.array(tie('filter'), { maxLength: 2 }) }),
        fc.record({ not: tie('filter') }),
      ) as fc.Arbitrary<Filter>,
    }));
    await fc.assert(
      fc.asyncProperty(filter, async (one) => {
        const node = parseFilter(one);
        const expected = all.filter(({ id, metadata }) =>
          evaluateFilter(node, { id, source: id, title: id, format: 'text', metadata: metadata as never }),
        );
        const options = { k: 10, filter: one, legs: { vectors: false }, rerank: false } as const;
        const { hits } = await searchIndexes({ a, b }, 'hello', options);
        expect(hits.map(({ documentId }) => documentId).sort()).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: 60 },
    );
  });
});
