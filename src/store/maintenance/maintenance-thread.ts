import type { MessagePort } from 'node:worker_threads';
import { indexLayout } from '../layout.js';
import { task } from '../threads.js';
import { workOn } from '../trouble.js';
import { type BackupTask, copyIndex } from './backup-copy.js';
import type { ExportFormat } from './exchange.js';
import { type ExportReport, type ExportTask, exportLayout } from './export.js';
import type { VerifyReport } from './findings.js';
import { importDatabase } from './import.js';
import { ProgressSender } from './progress.js';
import { type Salvage, salvage as salvageLayout } from './salvage.js';
import { syncTree } from './staged-folder.js';
import { verifyLayout } from './verify.js';
import type { DatabaseDamage } from './verify-database.js';

/** A worker thread for what takes long and is not a search or a commit. One task at a time. */
interface FolderTask {
  folder: string;
  port: MessagePort | undefined;
}

let damage: DatabaseDamage | undefined;

export const verify = task(async ({ folder, port }: FolderTask): Promise<VerifyReport> => {
  const layout = indexLayout(folder);
  workOn(layout.database);
  const found = await verifyLayout(layout, new ProgressSender(port));
  damage = found.damage;
  return found.report;
});

/** How far the last `verify` found single documents damaged, or something beyond them. */
export const damageKind = task((): 'none' | 'structure' | 'documents' => {
  if (!damage) return 'none';
  const { documents, bodies, gaps, structure } = damage;
  if (documents.size > 0 || bodies.size > 0 || gaps.length > 0) return 'documents';
  return structure ? 'structure' : 'none';
});

/** After `verify`: leaves out what it found damaged. The caller holds the writer lock. */
export const salvage = task(({ folder, port }: FolderTask): Promise<Salvage> => {
  const layout = indexLayout(folder);
  workOn(layout.database);
  return salvageLayout(layout, damage!, new ProgressSender(port));
});

export const backup = task(({ port, ...given }: BackupTask & { port: MessagePort | undefined }) => {
  workOn(indexLayout(given.folder).database);
  return copyIndex(given, new ProgressSender(port));
});

/** Named with a word more: `export` and `import` belong to the language. */
export const exportTo = task(({ folder, port, ...given }: FolderTask & ExportTask): Promise<ExportReport> => {
  const layout = indexLayout(folder);
  workOn(layout.database);
  return exportLayout(layout, given, new ProgressSender(port));
});

export const importFrom = task(
  ({ folder, port, ...given }: FolderTask & { file: string; format: ExportFormat }) => {
    const layout = indexLayout(folder);
    workOn(layout.database);
    return importDatabase(layout, given, new ProgressSender(port));
  },
);

export const sync = task((folder: string): void => syncTree(folder));
