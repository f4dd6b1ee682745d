import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenSources } from '../../src/indexing/seen-sources.js';
import { cpuMsOf } from '../cpu-time.js';

describe('seen sources', () => {
  it('are those that were added, and nothing else', () => {
    const names = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 400 });
    fc.assert(
      fc.property(names, names, (added, asked) => {
        const seen = new SeenSources();
        const twin = new Set(added);
        for (const name of added) seen.add(name);
        for (const name of [...added, ...asked]) expect(seen.has(name)).toBe(twin.has(name));
      }),
    );
  });

  it('are told apart by the hundred thousand, at 10 to 16 bytes each, in steps that hold nobody up', () => {
    const seen = new SeenSources();
    const before = process.memoryUsage().arrayBuffers;
    const count = 200_000;
    const steps: number[] = [];
    for (let n = 0; n < count; ) {
      const step = cpuMsOf(() => {
        for (const end = n + 100; n < end; n++) seen.add(`docs/${n % 977}/file ${n}.md`);
      });
      steps.push(step);
    }
    // A garbage collection may fall into one or two.
    expect(steps.sort((a, b) => b - a)[2]).toBeLessThan(5);
    // Tables that were outgrown may not be collected yet: they are two thirds of the next, two thirds of that and so on.
    expect((process.memoryUsage().arrayBuffers - before) / count).toBeLessThan(3 * 16);
    for (let n = 0; n < count; n++) {
      if (!seen.has(`docs/${n % 977}/file ${n}.md`)) throw new Error(`${n} was added`);
      if (seen.has(`docs/${n % 977}/file ${n}.txt`)) throw new Error(`${n} was not added`);
    }
  });

  it('keep what lies below a folder that could not be looked at', () => {
    const seen = new SeenSources();
    seen.keep('docs/closed');
    expect(['docs/closed', 'docs/closed/a.md', 'docs/closed.md'].map((name) => seen.has(name))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
