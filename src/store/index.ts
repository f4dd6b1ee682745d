/**
 * The durable index in a folder: what was committed stays, whatever happens, and readers see one commit at a time.
 *
 * Answers: which chunks hold these words, which vectors are nearest, which chunks a filter allows, what a chunk or a
 * document says, which files are already in. SQLite holds the truth; the keyword index, the graph and the columns that
 * filters ask are derived from it and are made good from it on opening.
 *
 * Costs: a commit is one SQLite transaction with an fsync (some 15 ms for 256 chunks of 384 dimensions); a reader
 * maps the graph and holds the newer vectors in memory; a filter that was never used before takes some milliseconds over a
 * million documents, and nothing afterwards, until the reader moves on. All of it happens in worker threads.
 *
 * Not for: deciding what to index, making vectors, or ranking across legs.
 */

export { DOCUMENT_FIELDS, evaluateFilter, type FilterSubject, readings } from './filter/evaluate.js';
export { matchesEverything, parseFilter } from './filter/parse.js';
export { FORMAT_VERSION } from './format.js';
export { Gate } from './gate.js';
export { LEFT_BY_CREATION } from './layout.js';
export * from './maintenance/index.js';
export { createOrOpenStore, migrateStore, openStore } from './open.js';
export type { StoreOptions } from './options.js';
export {
  comparePassports,
  embedderDifferences,
  type PassportDifference,
  passportDifferences,
} from './passport.js';
export { pathTrouble } from './path-trouble.js';
