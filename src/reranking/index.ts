/**
 * (query, passages) → scores, by a local cross-encoder that reads both together.
 *
 * One score a passage, in input order, higher answers better; never a passage more or less. Long passages are read by
 * windows and flagged.
 * Costs: a run of the model for each pair, spread over the cores. For short lists, after the legs have found them.
 * Not for: fusing or blending scores (retrieval/).
 */
export { type LocalReranker, type LocalRerankerOptions, openReranker } from './local.js';
