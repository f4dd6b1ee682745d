import { SluiceError } from '../errors.js';
import { type Connection, readSetting, writeSetting } from './schema.js';

/** Setting: the newest generation that deleted rows died at. */
const PURGED_UNTIL = 'purgedUntil';

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
  noteRemoval(db, until);
  // Versions before bodies, because they name them.
  for (const table of ['documents', 'bodies']) {
    const some = db.prepare(
      `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE died <= ? LIMIT ${BATCH_ROWS})`,
    );
    while (some.run(until).changes > 0);
  }
}

/** Before the first row goes: readers of a generation below cannot be answered any more. */
function noteRemoval(db: Connection, until: number): void {
  const last = db
    .prepare<{ until: number }, number | null>(
      `SELECT max(died) FROM (SELECT max(died) AS died FROM documents WHERE died <= @until
         UNION ALL SELECT max(died) FROM bodies WHERE died <= @until)`,
    )
    .pluck()
    .get({ until });
  if (last != null && last > (readSetting<number>(db, PURGED_UNTIL) ?? 0))
    writeSetting(db, PURGED_UNTIL, last);
}

/** @throws SLUICE_SNAPSHOT_GONE where rows that are visible at this generation may have been deleted */
export function checkNotPurged(db: Connection, generation: number): void {
  if (generation === 0) return;
  const purged = readSetting<number>(db, PURGED_UNTIL) ?? 0;
  if (generation >= purged) return;
  throw new SluiceError(
    'SLUICE_SNAPSHOT_GONE',
    `the reader is at generation ${generation}, and what was replaced by generation ${purged} is deleted`,
    { hint: 'refresh the reader, then ask again', details: { generation, purgedUntil: purged } },
  );
}
