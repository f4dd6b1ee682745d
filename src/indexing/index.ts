/**
 * The bulk pipeline: paths and documents in, a durable index out.
 *
 * Answers: what happened to everything that was given (`IndexReport`), how far it is (`IndexProgress`).
 * Costs: embedding takes nearly all of the time; memory is a fixed number of portions under way.
 * Not for: searching, or for deciding which model is used: the caller brings store, embedder and chunker set-up.
 */

export { type AddOptions, checkAddOptions } from './add-options.js';
export { type LedgerCounts, LISTED_SKIPS, type SkippedItem, type StageMs } from './ledger.js';
export { type IndexingParts, type IndexingRun, startIndexing } from './pipeline.js';
export { type PreparePool, startPreparePool } from './prepare-pool.js';
export type { PrepareSetup, TokenizerSource } from './prepare-task.js';
export { embedAnew, noReembedCounts, type ReembedCounts } from './reembed.js';
export { removeDocuments } from './removals.js';
export type { IndexPhase, IndexProgress, IndexReport } from './report.js';
export { type AddSource, requirePaths } from './sources.js';
export { type WatchOptions, type WatchRun, watchSources } from './watch.js';
