import { existsSync, type Stats, statSync } from 'node:fs';
import { extname, relative, resolve } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { SluiceError } from '../../errors.js';
import type { Filter } from '../../model/filter.js';
import type { Passport } from '../../model/passport.js';
import type { CompactReport } from '../../model/store.js';
import { addon } from '../../native/addon.js';
import { workerUrl } from '../../threads/worker-url.js';
import { encodeFilter } from '../filter/node.js';
import { parseFilter } from '../filter/parse.js';
import { type IndexLayout, indexLayout } from '../layout.js';
import { inspectStore, migrateStore, openStore } from '../open.js';
import { resolveOptions, type StoreOptions } from '../options.js';
import { pathTrouble } from '../path-trouble.js';
import { WorkerThread } from '../threads.js';
import { LocalWriter } from '../writer.js';

import type { ExportFormat, ExportVectors } from './exchange.js';
import type { ExportReport } from './export.js';
import type { VerifyReport } from './findings.js';
import type { ImportReport } from './import.js';
import { type OnProgress, withProgress } from './progress.js';
import { inStagedFolder, type StagedFolder } from './staged-folder.js';

export type MaintenanceTasks = typeof import('./maintenance-thread.js');

export interface MaintenanceOptions {
  onProgress?: OnProgress;
}

/** Dials of the writer that builds derived files; see StoreOptions. */
export interface BuildOptions extends MaintenanceOptions {
  graphThreshold?: number;
}

/**
 * Looks at every row and every file of an index and lists all that is damaged. Changes nothing of what it holds; may run
 * while somebody writes, and keeps no writer out.
 * @throws SLUICE_NOT_FOUND, SLUICE_NOT_AN_INDEX, SLUICE_INDEX_VERSION
 */
export async function verifyIndex(folder: string, options: MaintenanceOptions = {}): Promise<VerifyReport> {
  const layout = await layoutOf(folder);
  return withMaintenance(options, `verifying ${layout.folder}`, (thread, port) =>
    thread.call('verify', { folder: layout.folder, port }, list(port)),
  );
}

/**
 * Erases what was removed or replaced from all files of an index, and builds its keyword index and graph anew: afterwards
 * its bytes hold live documents only, and scores are those of a fresh index.
 * @throws SLUICE_INDEX_LOCKED, SLUICE_INDEX_CORRUPT
 */
export async function compactIndex(
  folder: string,
  { onProgress, ...options }: BuildOptions = {},
): Promise<CompactReport> {
  const store = await openStore(folder, options);
  try {
    const writer = await store.writer();
    return await writer.compact(onProgress);
  } finally {
    await store.close();
  }
}

export interface BackupReport {
  folder: string;
  target: string;
  /** Of the database: every commit up to it is in the copy. */
  generation: number;
  durationMs: number;
}

/**
 * Copies an index into a new or empty folder, also while somebody writes. The copy appears when it is whole.
 * @throws SLUICE_USAGE where the target holds something or lies inside the index
 */
export async function backupIndex(
  folder: string,
  target: string,
  options: BuildOptions = {},
): Promise<BackupReport> {
  const started = performance.now();
  const layout = await layoutOf(folder);
  checkPath(target, 'a backup');
  const { passport } = await inspectStore(layout.folder);
  if (!relative(layout.folder, resolve(target)).startsWith('..'))
    throw new SluiceError('SLUICE_USAGE', `${target} lies inside the index`, {
      hint: 'name a folder outside of it',
    });
  return withMaintenance(options, `the backup ${resolve(target)}`, (thread, port) =>
    inStagedFolder(
      target,
      async (staged) => {
        const given = { folder: layout.folder, target: staged.layout.folder, port };
        await thread.call('backup', given, list(port));
        const generation = await derive(staged, passport, options);
        return {
          folder: layout.folder,
          target: resolve(target),
          generation,
          durationMs: performance.now() - started,
        };
      },
      (staged) => thread.call('sync', staged),
    ),
  );
}

export interface ExportOptions extends MaintenanceOptions {
  /** Only documents that pass. Default: all. */
  filter?: Filter | undefined;
  /** Default: 'parquet' for a file that ends so, else 'jsonl'. */
  format?: ExportFormat;
  /** How JSONL holds vectors; default 'base64'. Parquet always holds lists of floats. */
  vectors?: ExportVectors;
  /** Replaces a file that exists. Default false. */
  overwrite?: boolean;
}

/**
 * Writes the live documents of an index, or those that pass a filter, with their chunks and vectors into a file from which
 * `importIndex` makes the same index again, and which other tools can read. Under a filter, sources of which only some
 * documents pass count as not wholly read: indexing their folder after an import reads them again.
 *
 *     await exportIndex('docs.idx', 'german.jsonl', { filter: { lang: 'de' } });
 *
 * @throws SLUICE_USAGE where the file exists; SLUICE_FILTER_INVALID, SLUICE_FILTER_UNKNOWN_FIELD; SLUICE_INDEX_CORRUPT
 */
export async function exportIndex(
  folder: string,
  file: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const layout = await layoutOf(folder);
  checkPath(file, 'an export');
  if (!existsSync(layout.database)) await inspectStore(layout.folder);
  const path = resolve(file);
  const format = exportFormatOf(path, options.format);
  const vectors = options.vectors ?? 'base64';
  if (!['base64', 'arrays', 'none'].includes(vectors))
    throw new SluiceError('SLUICE_USAGE', `vectors cannot be '${vectors}'`, {
      hint: "use 'base64', 'arrays' or 'none'",
    });
  if (format === 'parquet' && options.vectors !== undefined)
    throw new SluiceError('SLUICE_USAGE', 'a Parquet file always holds vectors as lists of floats');
  const there = statOf(path, 'write the file');
  if (there?.isDirectory())
    throw new SluiceError('SLUICE_USAGE', `${path} is a folder`, { hint: 'name a file' });
  if (!options.overwrite && there)
    throw new SluiceError('SLUICE_USAGE', `the file ${path} exists`, {
      hint: 'name another, or ask to overwrite it',
    });
  const filter = await encodeFilter(options.filter === undefined ? undefined : parseFilter(options.filter));
  const given = { folder: layout.folder, file: path, format, vectors, filter };
  return withMaintenance(options, `the export ${path}`, (thread, port) =>
    thread.call('exportTo', { ...given, port }, list(port)),
  );
}

export interface ImportOptions extends BuildOptions {
  format?: ExportFormat;
}

/**
 * Makes a new index of an export, without any embedding: the same documents, chunks and vectors, and the same answers.
 * The states of source files come along, so that indexing the same folders goes on from there.
 * @throws SLUICE_EXPORT_INVALID naming the line or row; then nothing is made. SLUICE_USAGE where the folder holds something
 */
export async function importIndex(
  file: string,
  folder: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const started = performance.now();
  checkPath(file, 'an import');
  checkPath(folder, 'an import');
  const path = resolve(file);
  const there = statOf(path, 'read the file');
  if (!there)
    throw new SluiceError('SLUICE_NOT_FOUND', `the file ${path} does not exist`, { hint: 'check the path' });
  if (there.isDirectory())
    throw new SluiceError('SLUICE_USAGE', `${path} is a folder`, {
      hint: 'name a file that export wrote; to index a folder use: sluice index',
    });
  const format = formatOf(path, options.format);
  addon();
  return withMaintenance(options, `the import into ${resolve(folder)}`, (thread, port) =>
    inStagedFolder(
      folder,
      async (staged) => {
        const given = { folder: staged.layout.folder, file: path, format, port };
        const { passport, ...counts } = await thread.call('importFrom', given, list(port));
        await derive(staged, passport, options);
        return { folder: resolve(folder), ...counts, durationMs: performance.now() - started };
      },
      (staged) => thread.call('sync', staged),
    ),
  );
}

/**
 * Brings an index of an older format up to the present one; see `migrateStore`.
 * @throws SLUICE_NOT_FOUND, SLUICE_NOT_AN_INDEX, SLUICE_INDEX_VERSION, SLUICE_INDEX_LOCKED
 */
export function migrateIndex(folder: string): Promise<{ from: number; to: number }> {
  return migrateStore(folder);
}

/** An index of this release, or one so damaged that it cannot even say. */
export async function layoutOf(folder: string): Promise<IndexLayout> {
  const layout = indexLayout(resolve(folder));
  try {
    await inspectStore(layout.folder);
  } catch (error) {
    if (!SluiceError.is(error) || error.code !== 'SLUICE_INDEX_CORRUPT') throw error;
  }
  return layout;
}

/** Builds what is derived from the database of a staged folder. @returns the newest generation */
async function derive(staged: StagedFolder, passport: Passport, options: BuildOptions): Promise<number> {
  const { onProgress, graphThreshold } = options;
  const store: StoreOptions = graphThreshold === undefined ? {} : { graphThreshold };
  onProgress?.({ phase: 'keyword index and graph', done: 0, total: 0 });
  const { layout, lock } = staged;
  const { indexId, epoch } = await inspectStore(layout.folder);
  const { dims } = passport.embedder;
  const writer = await LocalWriter.open(layout, dims, { indexId, epoch }, resolveOptions(store), lock);
  try {
    await writer.publish();
    return writer.generation;
  } finally {
    await writer.close();
  }
}

/** @param what names the work and its place, for errors that say neither */
export async function withMaintenance<T>(
  { onProgress }: MaintenanceOptions,
  what: string,
  use: (thread: WorkerThread<MaintenanceTasks>, port: MessagePort | undefined) => Promise<T>,
): Promise<T> {
  addon();
  const thread = new WorkerThread<MaintenanceTasks>(
    workerUrl(import.meta.url, './maintenance-thread.js'),
    1,
    what,
  );
  try {
    return await withProgress(onProgress, (port) => use(thread, port));
  } finally {
    await thread.close();
  }
}

export function list(port: MessagePort | undefined): MessagePort[] {
  return port ? [port] : [];
}

function checkPath(path: unknown, call: string): void {
  if (typeof path === 'string' && path.trim() !== '') return;
  const given = typeof path === 'string' ? 'an empty string' : String(path);
  throw new SluiceError('SLUICE_USAGE', `${call} wants a path, not ${given}`);
}

/** @throws SLUICE_USAGE for an ending that says another form than what would be written */
function exportFormatOf(path: string, given: ExportFormat | undefined): ExportFormat {
  const ending = extname(path).toLowerCase();
  if (given === undefined && !['', '.jsonl', '.ndjson', '.parquet'].includes(ending))
    throw new SluiceError('SLUICE_USAGE', `an export is no ${ending} file`, {
      hint: 'let the name end with .jsonl or .parquet, or name the format',
    });
  return formatOf(path, given);
}

/** Undefined where there is nothing. */
function statOf(path: string, doing: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw pathTrouble(error, doing, path);
  }
}

function formatOf(path: string, given: ExportFormat | undefined): ExportFormat {
  const format = given ?? (extname(path).toLowerCase() === '.parquet' ? 'parquet' : 'jsonl');
  if (format === 'jsonl' || format === 'parquet') return format;
  throw new SluiceError('SLUICE_USAGE', `there is no export format '${String(format)}'`, {
    hint: "use 'jsonl' or 'parquet'",
  });
}
