import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mostPromising, splitEvenly, splitOverlapping } from '../../src/inference/token-windows.js';

const shape = [fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 4, max: 512 })] as const;

describe('windows of a long text', () => {
  it('put every token into exactly one even window', () => {
    fc.assert(
      fc.property(...shape, (tokens, room) => {
        const windows = splitEvenly(tokens, room);
        let at = 0;
        for (const { start, end } of windows) {
          expect(start).toBe(at);
          expect(end - start).toBeLessThanOrEqual(room);
          at = end;
        }
        expect(at).toBe(tokens);
        expect(windows.length).toBe(Math.max(1, Math.ceil(tokens / room)));
      }),
    );
  });

  it('cover every token where they overlap, and none is over the room', () => {
    fc.assert(
      fc.property(...shape, (tokens, room) => {
        const windows = splitOverlapping(tokens, room);
        let covered = 0;
        for (const { start, end } of windows) {
          expect(start).toBeLessThanOrEqual(covered);
          expect(end - start).toBeLessThanOrEqual(room);
          covered = end;
        }
        expect(covered).toBe(tokens);
      }),
    );
  });

  it('leave a text of exactly the room whole', () => {
    expect(splitEvenly(254, 254)).toEqual([{ start: 0, end: 254 }]);
    expect(splitOverlapping(254, 254)).toEqual([{ start: 0, end: 254 }]);
    expect(splitEvenly(255, 254)).toHaveLength(2);
    expect(splitOverlapping(255, 254)).toHaveLength(2);
  });

  it('are chosen by the query tokens that they hold', () => {
    const ids = new Uint32Array(100).fill(7);
    ids[85] = 1;
    ids[86] = 2;
    ids[45] = 1;
    const windows = Array.from({ length: 10 }, (_, i) => ({ start: i * 10, end: i * 10 + 10 }));
    const chosen = mostPromising(windows, ids, Uint32Array.of(1, 2), 3);
    expect(chosen.map(({ start }) => start)).toEqual([0, 40, 80]);
    expect(mostPromising(windows, ids, Uint32Array.of(1), 10)).toBe(windows);
  });
});
