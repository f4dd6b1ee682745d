/**
 * The longest synchronous pieces on this thread: how long each callback ran before it gave the event loop back, with
 * the kind of resource that it belongs to. An event-loop delay says that something blocked; this says what.
 *
 * Async hooks see callbacks of Node's own resources, timers, promises and native addons that announce theirs. They do
 * not see the top level of a module, nor garbage collection apart from the callback it fell into. A chain of promise
 * reactions counts one by one. Hooks cost time on every callback: measure throughput without them.
 */
import { createHook } from 'node:async_hooks';

/**
 * @param {{ keep?: number, stacks?: boolean, clock?: () => number }} options how many pieces to keep; `stacks` records
 *   where each resource was made, which is slow; `clock` gives milliseconds: wall clock by default, which counts the
 *   time in which other threads had the core
 * @returns {() => { ms: number, type: string, stack: string | undefined }[]} stops the probe and gives the longest
 *   pieces, longest first
 */
export function watchSyncPieces({ keep = 5, stacks = false, clock = () => performance.now() } = {}) {
  const origins = new Map();
  const running = [];
  let longest = [];
  const offer = (ms, id) => {
    if (longest.length === keep && ms <= longest[keep - 1].ms) return;
    longest.push({
      ms,
      type: origins.get(id)?.type ?? 'made before the probe',
      stack: origins.get(id)?.stack,
    });
    longest.sort((a, b) => b.ms - a.ms);
    longest = longest.slice(0, keep);
  };
  const hook = createHook({
    init(id, type) {
      origins.set(id, { type, stack: stacks ? creationStack() : undefined });
    },
    before(id) {
      running.push({ id, from: clock() });
    },
    after(id) {
      // A callback that threw leaves its entries behind; a callback in which the probe started has none.
      const depth = running.findLastIndex((entry) => entry.id === id);
      if (depth < 0) return;
      const [{ from }] = running.splice(depth);
      // Only the outermost: what runs inside another callback is part of that callback's piece.
      if (depth === 0) offer(clock() - from, id);
    },
    destroy(id) {
      origins.delete(id);
    },
  });
  hook.enable();
  return () => {
    hook.disable();
    // The callback that stops the probe counts as far as it got.
    if (running[0]) offer(clock() - running[0].from, running[0].id);
    return longest;
  };
}

function creationStack() {
  const holder = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 20;
  Error.captureStackTrace(holder, creationStack);
  Error.stackTraceLimit = limit;
  return holder.stack
    .split('\n')
    .slice(1)
    .filter((line) => !line.includes('node:internal') && !line.includes('sync-pieces.mjs'))
    .join('\n');
}
