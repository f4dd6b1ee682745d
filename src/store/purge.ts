import { type Connection, readSetting } from './schema.js';

/** Fewer dead chunks than this are never worth the work. */
const LEAST_DEAD_CHUNKS = 1_000;
const BATCH_ROWS = 200;

/**
 * Deletes the rows of dead documents once they outnumber the live ones, so that the database stays below about twice
 * its live data. Only what died by generation `until` goes: readers may still be at the publish before the last. The
 * freed pages are used again; the file does not shrink.
 */
export function purgeDead(db: Connection, until: number): void {
  const { live, dead } = db
    .prepare<[number], { live: number; dead: number }>(
      `SELECT coalesce(sum(chunk_count) FILTER (WHERE died IS NULL), 0) AS live,
              coalesce(sum(chunk_count) FILTER (WHERE died <= ?), 0) AS dead FROM bodies`,
    )
    .get(until)!;
  if (dead < LEAST_DEAD_CHUNKS || dead < live || until > readSetting<number>(db, 'publishedGeneration')!)
    return;
  deleteDead(db, until);
}

/** Deletes what died by a generation, a bounded number of rows to a transaction. */
export function deleteDead(db: Connection, until: number): void {
  // Versions before bodies, because they name them.
  for (const table of ['documents', 'bodies']) {
    const some = db.prepare(
      `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE died <= ? LIMIT ${BATCH_ROWS})`,
    );
    while (some.run(until).changes > 0);
  }
}
