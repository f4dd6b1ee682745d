import { walkedFiles } from './audit/files.js';
import { addContextCounts, checkContextOptions, noContextCounts } from './context-lines/index.js';
import { SluiceError, throwIfAborted } from './errors.js';
import { boundedMap, eachOf } from './indexing/bounded-map.js';
import { fileTasks } from './indexing/file-tasks.js';
import { type AddOptions, checkAddOptions, startPreparePool } from './indexing/index.js';
import { Ledger } from './indexing/ledger.js';
import { rootsOf } from './indexing/sources.js';
import { ModelsInUse } from './models-in-use.js';
import { checkOpenOptions, type OpenIndexOptions } from './open-options.js';

/** What context lines would cost. */
export interface ContextEstimate {
  documents: number;
  chunks: number;
  /** Calls to the endpoint; lines that are in the cache need none. */
  calls: number;
  cached: number;
  /** Counted in cl100k, which is near to what most services count. */
  tokensIn: number;
  /** At most: all that each call lets the model answer, four times a full line. */
  tokensOut: number;
  /** Files and records that could not be read. */
  skipped: number;
}

/**
 * Reads and cuts documents and counts what would be asked about them. Asks the endpoint nothing.
 * @throws SLUICE_USAGE without an endpoint in `context`; otherwise as `auditFolder`
 */
export async function estimateContext(
  paths: string | readonly string[],
  options: OpenIndexOptions,
  { signal, ...walk }: Pick<AddOptions, 'include' | 'exclude' | 'hidden' | 'maxFileBytes' | 'signal'> = {},
): Promise<ContextEstimate> {
  // Nothing is asked, so no key is needed.
  const context = options.context && { ...options.context, apiKeyEnv: undefined };
  checkContextOptions(context);
  if ('extractive' in context) {
    throw new SluiceError(
      'SLUICE_USAGE',
      'sentences of the document itself cost no calls: there is nothing to estimate',
    );
  }
  checkOpenOptions('.', { ...options, context });
  checkAddOptions(walk, 'estimateContext');
  const roots = await rootsOf(typeof paths === 'string' ? [paths] : paths);
  const models = new ModelsInUse({ ...options, context }, undefined);
  const setup = await models.prepareSetup(options.chunking ?? {});
  const pool = startPreparePool({ ...setup, estimateContext: true });
  const ledger = new Ledger();
  const sums = { ...noContextCounts(), documents: 0, chunks: 0 };
  try {
    const how = { ...walk, readers: await pool.readers(), ...(signal && { signal }) };
    const tasks = fileTasks(walkedFiles(roots, how, ledger), ledger, { signal });
    const prepared = boundedMap(tasks, pool.portionsUnderWay, (task) => pool.prepare(task, signal));
    for await (const batch of eachOf(prepared)) {
      for (const item of batch.skipped) ledger.skip(item);
      sums.documents += batch.documents.length;
      for (const { rows } of batch.documents) sums.chunks += rows;
      addContextCounts(ledger.contexts, batch.contexts);
    }
    throwIfAborted(signal);
  } finally {
    await pool.close();
    await models.close();
  }
  const { made, cached, tokensIn, tokensOut } = ledger.contexts;
  const { documents, chunks } = sums;
  return { documents, chunks, calls: made, cached, tokensIn, tokensOut, skipped: ledger.counts.skipped };
}
