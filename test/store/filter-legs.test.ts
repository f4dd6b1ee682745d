import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/model/filter.js';
import type { StoreReader } from '../../src/model/store.js';
import { idsOf, published } from './reading.js';
import { batch, document, newFolder, newStore, vectorOf } from './support.js';

/** Whether metadata columns lie in a file or in memory, a filter narrows a text search, and never stands in for it. */
describe('a filter with and without a file of its columns (F2)', () => {
  // Made anew for each store: a commit takes their vectors along.
  const documents = () =>
    ['a', 'b', 'c', 'd', 'e', 'f'].map((id, i) =>
      document(id, [i < 4 ? 'same text' : 'other words'], { metadata: { n: i, even: i % 2 === 0 } }),
    );
  const filters: [Filter | undefined, string[]][] = [
    [undefined, ['a', 'b', 'c', 'd']],
    [{ n: 1 }, ['b']],
    [{ n: { gte: 2 } }, ['c', 'd']],
    [{ even: true }, ['a', 'c']],
    [{ not: { even: true } }, ['b', 'd']],
    // Of what has another text: the filter lets it through, the query does not.
    [{ n: [4, 5] }, []],
    [{ n: 99 }, []],
    [{ or: [{ n: 0 }, { n: 5 }] }, ['a']],
  ];

  async function stores(): Promise<[string, StoreReader][]> {
    const made: [string, StoreReader][] = [];
    for (const [name, filterThreshold] of [
      ['in a file', 1],
      ['in memory', 1_000],
    ] as const) {
      const folder = newFolder();
      const store = await newStore({ filterThreshold }, folder);
      made.push([name, await published(store, batch(documents()))]);
      const files = filterThreshold === 1 ? readdirSync(join(folder, 'filters')) : [];
      expect(files.filter((file) => file.endsWith('.cols'))).toHaveLength(filterThreshold === 1 ? 1 : 0);
    }
    return made;
  }

  it('gives the same hits', async () => {
    for (const [name, reader] of await stores()) {
      for (const [filter, expected] of filters) {
        const allowed = await reader.select(filter);
        const what = `${name} ${JSON.stringify(filter)}`;
        const found = await idsOf(reader, await reader.searchKeywords('same', 9, allowed));
        expect(found.sort(), what).toEqual(expected);
        const near = await idsOf(reader, await reader.searchVectors(vectorOf('same text'), 9, allowed));
        expect(near, what).toHaveLength(allowed.count);
        expect(expected.every((id) => near.includes(id))).toBe(true);
      }
    }
  });

  it('changes no filter that it is given', async () => {
    const [[, reader]] = (await stores()) as [[string, StoreReader]];
    const filter = deepFrozen({ and: [{ n: { gte: 1, lt: 3 } }, { not: { even: [true] } }] }) as Filter;
    const before = JSON.stringify(filter);
    for (let round = 0; round < 2; round++) {
      const allowed = await reader.select(filter);
      expect(await idsOf(reader, await reader.searchKeywords('same', 9, allowed))).toEqual(['b']);
      expect(
        await idsOf(reader, await reader.searchKeywords('same', 9, await reader.select(undefined))),
      ).toEqual(['a', 'b', 'c', 'd']);
    }
    expect(JSON.stringify(filter)).toBe(before);
  });
});

function deepFrozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}
