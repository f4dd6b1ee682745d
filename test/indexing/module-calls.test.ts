import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModuleCalls, moduleUrls } from '../../src/indexing/module-calls.js';
import { ItemMarks, ThreadMarks } from '../../src/indexing/thread-marks.js';

const URLS = ['file:///a.mjs', 'file:///b.mjs'];

describe('calls of modules', () => {
  it('give what comes back, and are marked while they last', async () => {
    const marks = new ThreadMarks(ThreadMarks.memory(), 7);
    const calls = new ModuleCalls(URLS, 10_000, marks);
    expect(marks).toMatchObject({ calls: 0, module: undefined });
    expect(await calls.call(URLS[1]!, 'x', () => `${marks.calls} of ${marks.module}`)).toBe('1 of 1');
    const later = calls.call(URLS[0]!, 'x', async () => 5);
    expect(marks).toMatchObject({ calls: 1, module: 0 });
    expect(await later).toBe(5);
    await expect(calls.call(URLS[0]!, 'x', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const thrown = calls.call(URLS[0]!, 'x', () => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(marks).toMatchObject({ calls: 0, module: 0 });
  });

  it('end when their time is over, and show until then that the thread is alive', async () => {
    const marks = new ThreadMarks(ThreadMarks.memory(), 7);
    const calls = new ModuleCalls(URLS, 80, marks);
    const before = marks.turns;
    await expect(calls.call(URLS[0]!, 'docs/x.md', () => new Promise(() => {}))).rejects.toMatchObject({
      code: 'SLUICE_MODULE_STOPPED',
      message: expect.stringMatching(
        /^the module a.mjs failed on docs\/x.md: it did not come back within 80 ms/,
      ),
      details: { module: URLS[0], source: 'docs/x.md' },
    });
    expect(marks.turns - before).toBe(10);
    expect(marks.calls).toBe(0);
    await expect(calls.call(URLS[0]!, undefined, () => new Promise(() => {}))).rejects.toMatchObject({
      message: expect.stringContaining('failed while it was loaded'),
    });
  });

  it('name the modules in one order', () => {
    expect(moduleUrls({ chunker: 'c', readers: ['a', 'b'] })).toEqual(['c', 'a', 'b']);
    expect(moduleUrls({ readers: ['a'] })).toEqual(['a']);
    expect(moduleUrls({})).toEqual([]);
  });
});

describe('marks in shared memory', () => {
  it('keep threads apart, and begin anew with a thread', () => {
    const memory = ThreadMarks.memory();
    const [one, two] = [new ThreadMarks(memory, 1), new ThreadMarks(memory, 2)];
    one.begin(3);
    expect(two).toMatchObject({ calls: 0, turns: 0, module: undefined });
    expect(new ThreadMarks(memory, 1)).toMatchObject({ calls: 1, turns: 1, module: 3 });
    one.clear();
    expect(one).toMatchObject({ calls: 0, turns: 0, module: undefined });
  });

  it('say which items are under way', () => {
    const step = fc.record({ item: fc.nat(500), end: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const memory = ItemMarks.memory();
        const marks = new ItemMarks(memory);
        const underWay: { item: number; done: () => void }[] = [];
        for (const { item, end } of steps) {
          if (end || underWay.length >= 9) underWay.shift()?.done();
          else underWay.push({ item, done: marks.begin(item) });
          const expected = [...new Set(underWay.map((one) => one.item))].sort((a, b) => a - b);
          expect(new ItemMarks(memory).items).toEqual(expected);
        }
      }),
    );
  });
});
