/**
 * The durable index in a folder: what was committed stays, whatever happens, and readers see one commit at a time.
 *
 * Answers: which chunks hold these words, which vectors are nearest, which chunks a filter allows, what a chunk or a
 * document says, which files are already in. SQLite holds the truth; the keyword index and the graph are derived from
 * it and are made good from it on opening.
 *
 * Costs: a commit is one SQLite transaction with an fsync (some 15 ms for 256 chunks of 384 dimensions); a reader
 * maps the graph and holds the newer vectors in memory; the first use of a filter reads the metadata of all documents, the
 * next is free until the reader moves on. All of it happens in worker threads.
 *
 * Not for: deciding what to index, making vectors, or ranking across legs.
 */

export { evaluateFilter, type FilterSubject } from './filter/evaluate.js';
export { parseFilter } from './filter/parse.js';
export { FORMAT_VERSION } from './format.js';
export { Gate } from './gate.js';
export { createOrOpenStore, openStore } from './open.js';
export type { StoreOptions } from './options.js';
export { comparePassports, type PassportDifference, passportDifferences } from './passport.js';
