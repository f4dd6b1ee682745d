import { setImmediate } from 'node:timers/promises';
import { type FileEntry, noFilesHint, type WalkOptions, type WalkRoot } from '../documents/index.js';
import { SluiceError, throwIfAborted } from '../errors.js';
import { boundedMap } from '../indexing/bounded-map.js';
import { fileTasks } from '../indexing/file-tasks.js';
import { Ledger } from '../indexing/ledger.js';
import type { AuditBatch } from './audit-task.js';
import { sampleFiles, walkedFiles } from './files.js';
import { Findings } from './findings.js';
import type { AuditPool } from './pool.js';
import { type AuditProgress, type AuditReport, reportOf } from './report.js';

export interface AuditRunOptions {
  walk: WalkOptions;
  /** Only so many files, spread over all of them. */
  sample?: number | undefined;
  /** Of a file's text, from 0 to 1: more than this dropped fails the audit. */
  maxDroppedShare: number;
  /** Told after each portion. */
  onProgress?: ((progress: AuditProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Chunks that are summed up without a pause: a few milliseconds. */
const ROWS_AT_ONCE = 4_096;

/**
 * Reads and cuts every document under the roots in worker threads, and sums up what they say.
 * @throws SLUICE_NO_DOCUMENTS, SLUICE_ABORTED
 */
export async function auditSources(
  pool: AuditPool,
  roots: readonly WalkRoot[],
  options: AuditRunOptions,
): Promise<AuditReport> {
  const { walk, sample, signal, onProgress } = options;
  const started = performance.now();
  const ledger = new Ledger();
  const findings = new Findings(options.maxDroppedShare, ledger);
  const how = { ...walk, readers: await pool.readers(), ...(signal && { signal }) };
  const walked = walkedFiles(roots, how, ledger);
  const files = sample === undefined ? walked : each(await sampleFiles(walked, sample));
  const tasks = fileTasks(files, ledger, { signal });
  for await (const batches of boundedMap(tasks, pool.threads + 1, (task) => pool.audit(task, signal))) {
    for (const batch of batches) await absorb(findings, ledger, batch);
    onProgress?.({ ...findings.counts, ...progressOf(ledger), elapsedMs: performance.now() - started });
  }
  throwIfAborted(signal);
  if (ledger.counts.filesSeen === 0) throw nothingThere(roots, ledger.counts.filesIgnored, walk.include);
  return reportOf(findings, ledger, performance.now() - started, pool.threads);
}

async function* each(files: readonly FileEntry[]): AsyncGenerator<FileEntry, void, undefined> {
  yield* files;
}

async function absorb(findings: Findings, ledger: Ledger, batch: AuditBatch): Promise<void> {
  for (const item of batch.skipped) ledger.skip(item);
  ledger.add({
    filesDone: batch.files - batch.failedFiles,
    filesFailed: batch.failedFiles,
    bytesDone: batch.bytes,
  });
  findings.addSizes(batch);
  let row = 0;
  for (const document of batch.documents) {
    findings.addDocument(document);
    for (const end = row + document.chunks; row < end; ) {
      const stop = Math.min(end, row + ROWS_AT_ONCE);
      findings.addTexts(document.id, batch, row, stop);
      row = stop;
      if (row < end) await setImmediate();
    }
  }
}

function progressOf({ counts }: Ledger) {
  const { filesSeen, filesDone, bytesDone, skipped } = counts;
  return { filesSeen, filesDone, bytesDone, skipped };
}

function nothingThere(
  roots: readonly WalkRoot[],
  filesIgnored: number,
  include: readonly string[] | undefined,
): SluiceError {
  const paths = roots.map(({ path }) => path);
  return new SluiceError('SLUICE_NO_DOCUMENTS', `nothing to audit under ${paths.join(', ')}`, {
    hint: noFilesHint(filesIgnored, include),
    details: { paths, filesIgnored },
  });
}
