import { describe, expect, it } from 'vitest';
import { SelectionCache } from '../../src/store/selection-cache.js';
import { published } from './reading.js';
import { batch, document, newStore } from './support.js';

const set = (count: number) => ({ bits: new Uint8Array(8), count });

describe('the cache of selections', () => {
  it('answers however many filters come at once', async () => {
    const store = await newStore();
    const documents = Array.from({ length: 200 }, (_, i) =>
      document(`d${i}`, ['alpha'], { metadata: { i } }),
    );
    const reader = await published(store, batch(documents));
    const sets = await Promise.all(documents.map((_, i) => reader.select({ i })));
    expect(sets.map(({ count }) => count)).toEqual(documents.map(() => 1));
  });

  it('keeps the sets that were used last', async () => {
    const made: string[] = [];
    const cache = new SelectionCache(async (filter) => {
      made.push(filter);
      return set(made.length);
    });
    const get = (i: number) => cache.get(`filter ${i}`);
    for (let i = 0; i < 64; i++) await get(i);
    await get(0);
    await get(64);
    expect(made).toHaveLength(65);
    await get(0);
    expect(made).toHaveLength(65);
    await get(1);
    expect(made).toHaveLength(66);
  });

  it('forgets a filter that failed', async () => {
    let calls = 0;
    const cache = new SelectionCache(async () => {
      if (++calls === 1) throw new Error('once');
      return set(calls);
    });
    await expect(cache.get('')).rejects.toThrow('once');
    expect((await cache.get('')).count).toBe(2);
  });
});
