/**
 * Care of an index as a whole: verify, repair, compact, backup, export, import.
 *
 * Answers: is every byte still what was written, what is lost if not, and how does an index get out of here and back.
 *
 * Costs: verify reads everything once (some 100 MB/s); compact and repair write the derived files anew; all of it happens
 * in worker threads, with progress.
 *
 * Not for: single documents. Those are the business of the writer.
 */
export type { CompactReport, MaintenanceProgress } from '../../model/store.js';
export type { ExportFormat, ExportVectors } from './exchange.js';
export type { ExportReport } from './export.js';
export type { Finding, IndexPart, VerifyReport } from './findings.js';
export type { ImportReport } from './import.js';
export {
  type BackupReport,
  type BuildOptions,
  backupIndex,
  compactIndex,
  type ExportOptions,
  exportIndex,
  type ImportOptions,
  importIndex,
  type MaintenanceOptions,
  migrateIndex,
  verifyIndex,
} from './maintain.js';
export type { OnProgress } from './progress.js';
export { type RepairOptions, type RepairReport, repairIndex } from './repair.js';
export type { DroppedDocument } from './salvage.js';
