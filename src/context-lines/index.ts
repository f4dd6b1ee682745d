/**
 * context-lines/: chunks → the same chunks with a line before each that says where it stands in its document.
 *
 * Answers: what a model and the keyword index read before a chunk, so that "it doubles every hour" is found by the name
 * of what doubles. The text of the chunk stays as it is.
 * Costs: with an endpoint one call a chunk, once in its life (answers are kept by content); without one a pass over the
 * words of the document.
 * Not for: the context that a model gets to read with an answer (context/), and title and headings, which chunking puts
 * before every chunk anyway.
 */
export { addContextCounts, noContextCounts } from './counts.js';
export { checkContextOptions, DEFAULT_CONTEXT_TOKENS, reserveContext } from './options.js';
export { type ContextSetup, type CountingChunker, createSituatedChunker } from './situated-chunker.js';
