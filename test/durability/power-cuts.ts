import type { DiskEvent } from './recording.js';

/** What is left of writes and names that were not synced. */
export const SURVIVALS: readonly [string, (next: () => number) => () => boolean][] = [
  ['nothing', () => () => false],
  ['half of it', (next) => () => next() < 0.5],
  ['nearly all of it', (next) => () => next() < 0.95],
];

/**
 * Draws so many places for a cut, the end among them. Most calls are small writes; what is worth a cut is what comes
 * around syncs, names and marks.
 */
export function cutsOf(
  events: readonly DiskEvent[],
  next: () => number,
  count: number,
  from = 0,
): Set<number> {
  const turns = events.flatMap(({ kind }, i) => (kind === 'write' || i < from ? [] : [i, i + 1]));
  const cuts = new Set<number>([events.length]);
  const most = Math.min(count, new Set(turns).size);
  while (cuts.size < most) cuts.add(turns[Math.floor(next() * turns.length)]!);
  return cuts;
}

export const describeEvent = (event: DiskEvent | undefined) =>
  JSON.stringify(event, (key, value) =>
    key === 'data' || typeof value === 'bigint' ? undefined : value,
  )?.slice(0, 160);
