/**
 * chunking/: Document → chunk columns.
 *
 * Answers: which spans of a text become passages, what a model reads of each (context prefix, then the slice), how
 * many tokens that is, and which lines to cite.
 * Costs: one tokenization of the text, and a second one only for tokenizers that spend tokens on white space or where
 * a cut falls inside a run without any. Time and memory grow linearly with the text. Everything is synchronous, but for
 * 'semantic', which embeds every sentence.
 * Not for: parsing (documents/), counting as such (tokens/), cutting text for a model's window (embedding/).
 */
export { auditCoverage, type CoverageAudit } from './audit.js';
export {
  auditChunks,
  CHUNK_RULES,
  type ChunkContract,
  type ChunkRule,
  type ChunkViolation,
} from './audit-contract.js';
export { checkCallerChunks } from './check.js';
export { createChunker } from './chunker.js';
export { type ChunkContext, resolveChunkOptions } from './options.js';
export { chunkerContext } from './spans.js';
