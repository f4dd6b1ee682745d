/**
 * Texts → matrix of vectors: by a local ONNX model, by a remote service, or by a function of the caller.
 *
 * In: a TextColumn and a purpose (passage or query). Out: rows in input order, finite, of length 1 where the
 * fingerprint says so, and what it cost. A local model reads every token: a text over the window is embedded by
 * windows and pooled, and counted as such.
 * Costs: MiniLM int8 on one core about 9,000 tokens a second.
 * Not for: cutting documents into chunks (chunking/), sessions, workers and lanes (inference/).
 */
export { type CallerEmbedderOptions, callerEmbedder, lookUpVectors } from './caller.js';
export { type LocalEmbedderOptions, openEmbedder } from './local.js';
export {
  checkReference,
  compareReference,
  LEAST_REFERENCE_COSINE,
  makeReference,
  REFERENCE_TEXTS,
  type ReferenceComparison,
  type VectorReference,
} from './reference.js';
export { type RemoteEmbedderOptions, remoteEmbedder } from './remote.js';
