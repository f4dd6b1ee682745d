import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CompactReport } from '../../model/store.js';
import type { FilterPublisher } from '../filter/publish.js';
import type { GraphPublisher } from '../graph-publish.js';
import type { KeywordIndex } from '../keywords.js';
import type { IndexLayout } from '../layout.js';
import { deleteDead } from '../purge.js';
import { type Connection, readSetting } from '../schema.js';
import type { ProgressSender } from './progress.js';

export interface CompactParts {
  db: Connection;
  layout: IndexLayout;
  keywords: KeywordIndex;
  graphs: GraphPublisher;
  filters: FilterPublisher;
}

const CHECKPOINT_TRIES = 50;
const CHECKPOINT_PAUSE_MS = 100;

/**
 * Rewrites an index so that it holds its live documents and nothing else, and scores are those of a fresh index. Killed
 * in the middle, it opens at its last commit. Needs free space for a second copy of the live data.
 */
export async function compactStore(parts: CompactParts, progress: ProgressSender): Promise<CompactReport> {
  const started = performance.now();
  const { db, layout, keywords, graphs, filters } = parts;
  const bytesBefore = bytesIn(layout.folder);
  const generation = readSetting<number>(db, 'generation')!;
  progress.start('rows of removed documents');
  await keywords.commit();
  db.pragma('secure_delete = ON');
  deleteDead(db, generation);
  dropEmptyRoots(db);
  db.pragma('secure_delete = OFF');
  progress.start('keyword index');
  await keywords.rebuild();
  progress.start('graph');
  await graphs.publish(true);
  progress.start('metadata columns');
  await filters.publish(true);
  progress.start('database');
  db.exec('VACUUM');
  const erased = await truncateLog(db);
  removeLeftovers(layout);
  return {
    generation,
    bytesBefore,
    bytesAfter: bytesIn(layout.folder),
    erased,
    durationMs: performance.now() - started,
  };
}

/** A root's path says what was indexed; its name is given out again when it comes back. */
function dropEmptyRoots(db: Connection): void {
  const used = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} s WHERE s.source = r.name OR (s.source >= r.name || '/' AND s.source < r.name || '0'))`;
  db.exec(`DELETE FROM roots AS r WHERE NOT ${used('sources')} AND NOT ${used('documents')}`);
}

/** What the log still holds becomes the database. Another connection may be in the middle of a statement. */
async function truncateLog(db: Connection): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (result?.busy === 0) return true;
    if (attempt === CHECKPOINT_TRIES) return false;
    await delay(CHECKPOINT_PAUSE_MS);
  }
}

/** What killed processes left under construction. The caller holds the writer lock, so nobody is at work on it. */
function removeLeftovers({ folder }: IndexLayout): void {
  for (const name of readdirSync(folder)) {
    if (/\.unfinished/.test(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function bytesIn(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  // SQLite's shared memory goes with the last connection.
  if (!stat || path.endsWith('-shm')) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((total, name) => total + bytesIn(join(path, name)), 0);
}
