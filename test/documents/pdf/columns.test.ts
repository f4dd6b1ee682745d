import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesInReadingOrder } from '../../../src/documents/pdf/columns.js';
import type { Run } from '../../../src/documents/pdf/runs.js';
import { cpuMsOf } from '../../cpu-time.js';

/** A run of 10 points whose letters are 5 points wide. */
function run(text: string, x: number, y: number, order: number): Run {
  const right = x + text.length * 5;
  return { text, x, right, y, size: 10, font: 'f', monospaced: 0, longest: 1, rightToLeft: false, order };
}

const textsOf = (runs: readonly Run[]) => linesInReadingOrder(runs).map((line) => line.text);
const lineLength = fc.integer({ min: 24, max: 40 });
const columnLines = fc.array(lineLength, { minLength: 5, maxLength: 40 });

describe('linesInReadingOrder', () => {
  it('reads any number of columns one after another, whatever their lengths and their baselines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(columnLines, fc.integer({ min: -6, max: 6 })), { minLength: 2, maxLength: 4 }),
        (columns) => {
          const texts = columns.map(([lengths], c) =>
            lengths.map((length, i) => `c${c} line ${i} `.padEnd(length, 'x')),
          );
          let order = 0;
          const runs = texts.flatMap((lines, c) =>
            lines.map((text, i) => run(text, c * 220, i * 12 + columns[c]![1], order++)),
          );
          expect(textsOf(runs)).toEqual(texts.flat());
        },
      ),
    );
  });

  it('loses no run and takes none twice, wherever they lie', () => {
    const anywhere = fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 700 }));
    fc.assert(
      fc.property(fc.array(anywhere, { maxLength: 80 }), (places) => {
        const runs = places.map(([x, y], i) => run(`word${i}`, x, y, i));
        const words =
          textsOf(runs)
            .join(' ')
            .match(/word\d+(?=word|\s|$)/g) ?? [];
        expect(words.sort()).toEqual(runs.map(({ text }) => text).sort());
      }),
    );
  });

  it('reads columns of any length', () => {
    const text = 'a line that is as wide as its column';
    const side = (x: number, first: number) =>
      Array.from({ length: 150_000 }, (_, i) => run(text, x, i * 12, first + i));
    expect(textsOf([...side(0, 0), ...side(220, 150_000)])).toHaveLength(300_000);
  });

  it('takes time that grows with the page and not with its square', () => {
    const page = (count: number) =>
      Array.from({ length: count }, (_, i) => run(`word${i}`, (i * 37) % 500, Math.floor(i / 4) * 12, i));
    const time = (count: number) => {
      const runs = page(count);
      return cpuMsOf(() => linesInReadingOrder(runs));
    };
    time(20_000);
    const small = Math.min(time(20_000), time(20_000), time(20_000));
    const large = Math.min(time(160_000), time(160_000), time(160_000));
    // It was seen to be 13 times; the square would be 64 times.
    expect(large / small).toBeLessThan(24);
  });
});
