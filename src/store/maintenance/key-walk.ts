import type { Connection } from '../schema.js';

/** Keys that cannot be read: from the first up to the last, both included. */
export interface KeyGap {
  table: string;
  from: number;
  to: number;
  reason: string;
}

const PAGE_KEYS = 500;
const LAST_KEY = Number.MAX_SAFE_INTEGER;

/**
 * The integer keys of a table, ascending. A damaged page makes every statement fail that comes across it, but the keys
 * behind it can be reached from above: after a failure the walk looks for the nearest key from which SQLite can go on.
 */
export function* walkKeys(
  db: Connection,
  table: string,
  key: string,
  onGap: (gap: KeyGap) => void,
): Generator<number> {
  const page = db
    .prepare<[number], number>(
      `SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${PAGE_KEYS}`,
    )
    .pluck();
  const one = db
    .prepare<[number], number>(`SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT 1`)
    .pluck();
  for (let after = 0; ; ) {
    let keys: number[];
    try {
      keys = page.all(after);
    } catch {
      const next = nextReadable(one, after);
      if ('reason' in next) {
        onGap({ table, from: after + 1, to: next.upTo, reason: next.reason });
        if (next.upTo === LAST_KEY) return;
        after = next.upTo;
        continue;
      }
      keys = [next.key];
    }
    yield* keys;
    if (keys.length === 0) return;
    after = keys.at(-1)!;
  }
}

interface KeyQuery {
  get(after: number): number | undefined;
}

/** The next key, or the last position from which it cannot be read. */
function nextReadable(one: KeyQuery, after: number): { key: number } | { upTo: number; reason: string } {
  let reason = '';
  const readable = (from: number) => {
    try {
      return { key: one.get(from) };
    } catch (error) {
      reason ||= (error as Error).message;
      return undefined;
    }
  };
  const first = readable(after);
  if (first?.key !== undefined) return { key: first.key };
  let [bad, good] = [after, LAST_KEY];
  for (let step = 1; after + step < LAST_KEY; step *= 2) {
    if (readable(after + step)) {
      good = after + step;
      break;
    }
    bad = after + step;
  }
  while (good - bad > 1) {
    const middle = bad + Math.floor((good - bad) / 2);
    if (readable(middle)) good = middle;
    else bad = middle;
  }
  return { upTo: good, reason };
}
