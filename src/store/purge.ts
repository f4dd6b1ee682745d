import { type Connection, readSetting, writeSetting } from './schema.js';

/** Fewer dead chunks than this are never worth the work. */
const LEAST_DEAD_CHUNKS = 1_000;
const BATCH_DOCUMENTS = 200;

/**
 * Deletes the rows of dead documents once they outnumber the live ones, so that the database stays below about twice
 * its live data. Only what died by generation `until` goes: readers may still be at the publish before the last. The
 * freed pages are used again; the file does not shrink.
 */
export function purgeDead(db: Connection, until: number): void {
  const { live, dead } = db
    .prepare<[number], { live: number; dead: number }>(
      `SELECT coalesce(sum(chunk_count) FILTER (WHERE died IS NULL), 0) AS live,
              coalesce(sum(chunk_count) FILTER (WHERE died <= ?), 0) AS dead FROM documents`,
    )
    .get(until)!;
  if (dead < LEAST_DEAD_CHUNKS || dead < live || until > readSetting<number>(db, 'publishedGeneration')!)
    return;
  // Filter columns ask who has died since they were made: this says from when on the answer has gaps.
  writeSetting(db, 'purgedGeneration', until);
  const some = db.prepare(
    `DELETE FROM documents WHERE key IN (SELECT key FROM documents WHERE died <= ? LIMIT ${BATCH_DOCUMENTS})`,
  );
  while (some.run(until).changes > 0);
}
