/**
 * Hits → what a model reads. Answers "how much of this fits into the prompt, and what is each line's source?".
 *
 * Costs: each passage's tokens are counted once or twice; counting is the caller's function.
 *
 * Not for: finding or ordering passages (retrieval/), shortening them: a passage goes in whole or not at all.
 */
export type { Citation } from './citation.js';
export { type Context, type PackOptions, packContext } from './pack.js';
export type { Passage } from './passage.js';
