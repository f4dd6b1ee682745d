import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { ModuleWatch } from '../../src/indexing/module-watch.js';
import { ThreadMarks } from '../../src/indexing/thread-marks.js';

const LIMIT_MS = 400;
const memory = ThreadMarks.memory();

/** As much of a worker as a watch sees. */
function thread(threadId: number) {
  let ended: () => void;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const marks = new ThreadMarks(memory, threadId);
  marks.clear();
  return { marks, end, worker: { threadId, terminate: () => ended() } as unknown as Worker };
}

let watch: ModuleWatch;
afterEach(() => watch.stop());

it('ends a thread that a module blocks, and no other', async () => {
  const [blocked, alive, idle] = [thread(1), thread(2), thread(3)];
  watch = new ModuleWatch(memory, LIMIT_MS, () => [blocked.worker, alive.worker, idle.worker]);
  for (const { marks } of [blocked, alive]) marks.begin(0);
  const beat = setInterval(() => alive.marks.turn(), 5);
  await blocked.end;
  expect([1, 2, 3].map((id) => watch.hasEnded(id))).toEqual([true, false, false]);
  expect(watch.endings).toBe(1);
  clearInterval(beat);
  await alive.end;
  expect(watch.hasEnded(3)).toBe(false);
});

it('does not count time in which the whole process stood still', async () => {
  const blocked = thread(1);
  watch = new ModuleWatch(memory, LIMIT_MS, () => [blocked.worker]);
  blocked.marks.begin(0);
  await delay(LIMIT_MS / 8);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LIMIT_MS);
  await delay(1);
  expect(watch.endings).toBe(0);
  await blocked.end;
});
