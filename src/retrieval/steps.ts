import { setImmediate } from 'node:timers/promises';

/**
 * Work that can be put down and taken up again: it yields wherever it may be interrupted, some hundred items apart. So
 * the same code runs at once, and in pieces between which the event loop gets its turn: 10,000 hits must not hold it.
 */
export type Steps<T> = Generator<void, T, void>;

/** Items between two places where work may stop: well below a millisecond. */
const ITEMS_A_STEP = 256;
/** How long a piece may last before the event loop gets its turn. */
const PIECE_MS = 1.5;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Short work never waits. */
export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  let started = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - started < PIECE_MS) continue;
    await setImmediate();
    started = performance.now();
  }
}

export function* eachStep<T>(items: Iterable<T>, use: (item: T, at: number) => void): Steps<void> {
  let at = 0;
  for (const item of items) {
    use(item, at);
    if (++at % ITEMS_A_STEP === 0) yield;
  }
}

export function* mapSteps<T, R>(items: Iterable<T>, map: (item: T, at: number) => R): Steps<R[]> {
  const mapped: R[] = [];
  yield* eachStep(items, (item, at) => void mapped.push(map(item, at)));
  return mapped;
}

/** A sorted copy, equal items in their old order: runs that are sorted each at once, and merged. */
export function* sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ITEMS_A_STEP) {
    runs.push(items.slice(from, from + ITEMS_A_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [one, other] = [runs[i]!, runs[i + 1]];
      merged.push(other === undefined ? one : yield* mergeSteps(one, other, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSteps<T>(one: readonly T[], other: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const first = j >= other.length || (i < one.length && compare(one[i]!, other[j]!) <= 0);
    merged.push(first ? one[i++]! : other[j++]!);
    if (merged.length % ITEMS_A_STEP === 0) yield;
  }
  return merged;
}
