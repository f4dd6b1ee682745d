import type { WalkRoot } from '../documents/index.js';
import { boundedMap } from '../indexing/bounded-map.js';
import { fileTasks } from '../indexing/file-tasks.js';
import { Ledger } from '../indexing/ledger.js';
import type { CutBatch } from './cut-document.js';
import { walkedFiles } from './files.js';
import type { AuditPool } from './pool.js';

/** The documents of a file, or of many, in portions as they are cut. */
export async function* cutPaths(
  pool: AuditPool,
  roots: WalkRoot[],
): AsyncGenerator<CutBatch, void, undefined> {
  const ledger = new Ledger();
  const tasks = fileTasks(walkedFiles(roots, { readers: await pool.readers() }, ledger), ledger, {});
  for await (const batches of boundedMap(tasks, pool.threads + 1, (task) => pool.cut(task))) yield* batches;
  if (ledger.skipped.length > 0)
    yield { documents: [], skipped: ledger.skipped, limitTokens: 0, chunker: '' };
}
