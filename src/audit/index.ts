/**
 * audit/: do these documents keep what chunking promises?
 *
 * Answers: for every document that the walk finds, is all of its text in some chunk, is every chunk what it says it is,
 * and what did the readers drop; and how large chunks are, how many say the same, how many need their neighbours.
 * Costs: about what reading and cutting costs, and counting every token once more. Memory does not grow with the corpus.
 * Not for: an index that is there already (`verifyIndex`), and how well it is found (`evaluate`).
 */
export { cutPaths } from './cut.js';
export type { CutBatch, CutChunk, CutDocument } from './cut-document.js';
export { type AuditRule, DEFAULT_MAX_DROPPED_SHARE } from './document-audit.js';
export type { ListedViolation } from './findings.js';
export { type AuditPool, startAuditPool } from './pool.js';
export type { AuditProgress, AuditReport, ChunkSizes } from './report.js';
export { type AuditRunOptions, auditSources } from './run.js';
