import {
  type AuditPool,
  type AuditProgress,
  type AuditReport,
  auditSources,
  type CutBatch,
  cutPaths,
  DEFAULT_MAX_DROPPED_SHARE,
  startAuditPool,
} from './audit/index.js';
import { SluiceError } from './errors.js';
import { type AddOptions, checkAddOptions } from './indexing/index.js';
import { rootsOf } from './indexing/sources.js';
import { ModelsInUse } from './models-in-use.js';
import { checkOpenOptions, type OpenIndexOptions } from './open-options.js';
import { usableCores } from './threads/cores.js';

/** How documents would be read and cut: as `openIndex` takes it. */
export type CuttingOptions = Pick<
  OpenIndexOptions,
  'model' | 'chunking' | 'chunker' | 'readers' | 'moduleTimeoutMs' | 'encoding' | 'threads'
>;

export interface AuditOptions
  extends CuttingOptions,
    Pick<AddOptions, 'include' | 'exclude' | 'hidden' | 'maxFileBytes' | 'signal'> {
  /** Audit only so many files, spread over all of them and the same in each run. Default: all. */
  sample?: number;
  /** A file of whose text readers dropped a larger share than this fails. Default 0.3. */
  maxDroppedShare?: number;
  /** Told after each portion, some thousand characters. */
  onProgress?: (progress: AuditProgress) => void;
}

/**
 * Reads and cuts documents as `add` would, and proves for each of them that nothing is lost and every chunk is what it
 * says. Makes no index. Happens in worker threads; memory does not grow with the number of documents.
 *
 *     const report = await auditFolder('docs/');
 *     if (!report.clean) console.log(report.violations.listed, report.dropped.worst);
 *
 * Violations are in the report, not thrown.
 * @throws SLUICE_USAGE, SLUICE_NOT_FOUND, SLUICE_NO_DOCUMENTS, SLUICE_MODEL_INVALID, SLUICE_ABORTED
 */
export async function auditFolder(
  paths: string | readonly string[],
  options: AuditOptions = {},
): Promise<AuditReport> {
  const { sample, maxDroppedShare = DEFAULT_MAX_DROPPED_SHARE, onProgress, ...rest } = options;
  const { model, chunking, chunker, readers, moduleTimeoutMs, encoding, threads, signal, ...walk } = rest;
  const cutting = defined({
    ...{ model, chunking, chunker, readers, moduleTimeoutMs, encoding, threads },
  }) as CuttingOptions;
  checkAddOptions({ ...walk, ...(signal && { signal }) }, 'auditFolder');
  if (sample !== undefined && !(Number.isSafeInteger(sample) && sample > 0)) {
    throw usage(`sample must be a whole number of 1 or more, got ${String(sample)}`);
  }
  if (!(maxDroppedShare >= 0 && maxDroppedShare <= 1)) {
    throw usage(`maxDroppedShare must be from 0 to 1, got ${String(maxDroppedShare)}`);
  }
  return withPool(listOf(paths), cutting, (pool, roots) =>
    auditSources(pool, roots, { walk: defined(walk), sample, maxDroppedShare, onProgress, signal }),
  );
}

/** How documents would be cut, in portions. @internal */
export async function cutDocuments(
  paths: string | readonly string[],
  options: CuttingOptions,
  use: (batch: CutBatch) => void,
): Promise<void> {
  await withPool(listOf(paths), options, async (pool, roots) => {
    for await (const batch of cutPaths(pool, roots)) use(batch);
  });
}

async function withPool<T>(
  paths: readonly string[],
  options: CuttingOptions,
  work: (pool: AuditPool, roots: Awaited<ReturnType<typeof rootsOf>>) => Promise<T>,
): Promise<T> {
  checkOpenOptions('.', options);
  const roots = await rootsOf(paths);
  const models = new ModelsInUse(options, undefined);
  try {
    const setup = await models.prepareSetup(options.chunking ?? {});
    const pool = startAuditPool(setup, options.threads ?? usableCores());
    try {
      return await work(pool, roots);
    } finally {
      await pool.close();
    }
  } finally {
    await models.close();
  }
}

function listOf(paths: string | readonly string[]): readonly string[] {
  const list = typeof paths === 'string' ? [paths] : paths;
  if (Array.isArray(list) && list.length > 0 && list.every((path) => typeof path === 'string')) return list;
  throw usage('the paths must be strings, one at least');
}

/** Without what is undefined. */
function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', `auditFolder: ${message}`);
}
