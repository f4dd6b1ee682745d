import { SluiceError } from '../errors.js';
import { type Connection, readSetting, writeSetting } from './schema.js';

/** Setting: the newest generation that deleted rows died at. */
const PURGED_UNTIL = 'purgedUntil';

/** Readers, and derived files, of a generation below cannot be told any more what has died since. 0: none was purged. */
export function purgedUntil(db: Connection): number {
  return readSetting<number>(db, PURGED_UNTIL) ?? 0;
}

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
  const bodies = db
    .prepare<[number], number>(`SELECT key FROM bodies WHERE died <= ? LIMIT ${BATCH_ROWS}`)
    .pluck();
  const versionsOf = db.prepare('DELETE FROM documents WHERE body = ?');
  const body = db.prepare('DELETE FROM bodies WHERE key = ?');
  // A body goes together with the versions that name it: killed in between, neither is left without the other.
  const deleteSome = db.transaction((keys: readonly number[]) => {
    for (const key of keys) {
      versionsOf.run(key);
      body.run(key);
    }
  });
  for (let keys = bodies.all(until); keys.length > 0; keys = bodies.all(until)) deleteSome.immediate(keys);
  // What is left are replaced versions of bodies that live.
  const versions = db.prepare(
    `DELETE FROM documents WHERE key IN (SELECT key FROM documents WHERE died <= ? LIMIT ${BATCH_ROWS})`,
  );
  while (versions.run(until).changes > 0);
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
  if (last != null && last > purgedUntil(db)) writeSetting(db, PURGED_UNTIL, last);
}

/** @throws SLUICE_SNAPSHOT_GONE where rows that are visible at this generation may have been deleted */
export function checkNotPurged(db: Connection, generation: number): void {
  if (generation === 0) return;
  const purged = purgedUntil(db);
  if (generation >= purged) return;
  throw new SluiceError(
    'SLUICE_SNAPSHOT_GONE',
    `the reader is at generation ${generation}, and what was replaced by generation ${purged} is deleted`,
    { hint: 'refresh the reader, then ask again', details: { generation, purgedUntil: purged } },
  );
}
