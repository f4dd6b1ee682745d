import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { watchSyncPieces } = await load('lib/sync-pieces.mjs');

interface Piece {
  ms: number;
  type: string;
  stack?: string;
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function timerThatBlocks(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      block(ms);
      resolve();
    }, 1);
  });
}

/** Pieces while the work ran. On a busy machine any callback can be held up, so tests look for theirs among many. */
async function during(work: () => Promise<unknown>, options = { keep: 100 }): Promise<Piece[]> {
  const stop = watchSyncPieces(options);
  // The callback in which the probe started has no beginning: let it end.
  await nextTurn();
  await work();
  await nextTurn();
  return stop();
}

const lasted = (ms: number, type: string) => (piece: Piece) => piece.type === type && piece.ms >= ms - 0.1;

describe('watchSyncPieces', () => {
  it('sees a timer that blocks for 20 ms', async () => {
    const pieces = await during(() => timerThatBlocks(20));
    expect(pieces.filter(lasted(20, 'Timeout'))).not.toEqual([]);
  });

  it('sees a continuation after an await', async () => {
    const pieces = await during(() => sleep(1).then(() => block(20)));
    expect(pieces.filter(lasted(20, 'PROMISE'))).not.toEqual([]);
  });

  it('keeps the longest, longest first', async () => {
    const pieces = await during(() => Promise.all([2, 12, 4, 8, 6].map(timerThatBlocks)), { keep: 3 });
    const times = pieces.map(({ ms }) => ms);
    expect(times).toHaveLength(3);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(times[0]).toBeGreaterThanOrEqual(11.9);
    expect(times[2]).toBeGreaterThanOrEqual(5.9);
  });

  it('says where the resource was made, if asked', async () => {
    const options = { keep: 100, stacks: true };
    const [longest] = (await during(() => timerThatBlocks(20), options)).filter(lasted(20, 'Timeout'));
    expect(longest?.stack).toContain('sync-pieces.test.ts');
  });

  it('sees nothing once it is stopped', async () => {
    const pieces = watchSyncPieces({ keep: 100 })();
    const before = [...pieces];
    await timerThatBlocks(5);
    expect(pieces).toEqual(before);
  });
});
