import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedMap } from '../../src/indexing/bounded-map.js';

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe('boundedMap', () => {
  it('keeps the input order and never has more than its limit under way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(5), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        async (delays, limit) => {
          let underWay = 0;
          let most = 0;
          const results = await collect(
            boundedMap(delays.entries(), limit, async ([i, delay]) => {
              most = Math.max(most, ++underWay);
              await sleep(delay);
              underWay--;
              return i;
            }),
          );
          expect(results).toEqual(delays.map((_, i) => i));
          expect(most).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('does not pull from its source ahead of the limit', async () => {
    let pulled = 0;
    async function* source() {
      while (pulled < 100) yield pulled++;
    }
    const stream = boundedMap(source(), 3, async (item) => item);
    await stream.next();
    await sleep(5);
    expect(pulled).toBeLessThanOrEqual(4);
    await stream.return();
  });

  it('waits for calls under way before it throws, and closes the source', async () => {
    let closed = false;
    let finished = 0;
    async function* source() {
      try {
        for (let i = 0; i < 10; i++) yield i;
      } finally {
        closed = true;
      }
    }
    const run = collect(
      boundedMap(source(), 4, async (item) => {
        await sleep(item === 1 ? 1 : 10);
        finished++;
        if (item === 1) throw new Error('item 1');
        return item;
      }),
    );
    await expect(run).rejects.toThrow('item 1');
    expect(closed).toBe(true);
    expect(finished).toBeGreaterThanOrEqual(4);
  });
});
