import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreStats } from '../model/store.js';
import type { FilterSnapshot } from './filter/snapshot.js';
import type { IndexLayout } from './layout.js';
import { type Connection, readSetting, VISIBLE } from './schema.js';
import { failedSources } from './sources.js';
import type { VectorLeg } from './vector-leg.js';

/** Counts of one generation; sources and sizes on disk are as of now. */
export function readStats(
  db: Connection,
  layout: IndexLayout,
  generation: number,
  vectors: VectorLeg,
  filters: FilterSnapshot,
): StoreStats {
  const { graphedLabel, graphGeneration } = vectors;
  const counts = db
    .prepare<Record<string, number>, Omit<StoreStats, 'bytes'>>(
      `SELECT count(*) AS documents,
         coalesce(sum(chunk_count), 0) AS chunks,
         coalesce(sum(token_count), 0) AS tokens,
         coalesce(sum(over_limit_count), 0) AS overLimitChunks,
         coalesce(sum(chunk_count) FILTER (
           WHERE first_label <= @graphedLabel AND (died IS NULL OR died > @graphGeneration)), 0) AS graphVectors
       FROM documents d WHERE ${VISIBLE}`,
    )
    .get({ generation, graphedLabel, graphGeneration })!;
  return {
    ...counts,
    generation,
    tailVectors: counts.chunks - counts.graphVectors,
    failedSources: failedSources(db),
    sources: db.prepare('SELECT count(*) FROM sources').pluck().get() as number,
    bytes: {
      database: ['', '-wal', '-shm'].reduce((total, ending) => total + bytesOf(layout.database + ending), 0),
      keywords: bytesOf(layout.keywords),
      graph: bytesOf(layout.graph),
      filters: bytesOf(layout.filters),
    },
    problems: problemsOf(db, vectors, filters),
  };
}

/**
 * What was found damaged and how it was made good, in sentences.
 * @param since leaves out what was made good before this generation
 */
export function problemsOf(db: Connection, vectors: VectorLeg, filters: FilterSnapshot, since = 0): string[] {
  const isOld = (readSetting<number>(db, 'repairGeneration') ?? 0) < since;
  const repair = isOld ? undefined : readSetting<string>(db, 'repair');
  return [repair, vectors.problem, filters.problem].filter((problem) => problem !== undefined);
}

/** Of a file, or of the files in a folder; 0 for what is not there, or vanishes meanwhile. */
function bytesOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((total, name) => total + bytesOf(join(path, name)), 0);
}
