/**
 * Runs ONNX models in worker threads: model folders, execution providers, sessions, lanes and the budget of cores.
 *
 *   embedding/, reranking/ → engine.ts → lane.ts (bulk, query) → session-worker.ts → onnx-model.ts
 *                                  every running piece holds a core of thread-budget.ts
 *
 * The main thread never runs a model: `InferenceSession.run` blocks its thread. Every text is a run of its own,
 * unpadded: under dynamic int8 a vector would otherwise depend on its batch mates, and on a CPU batching gains nothing.
 * Not for: what vectors and scores mean (embedding/, reranking/).
 */
export { type EngineOptions, type EngineStats, InferenceEngine } from './engine.js';
export {
  DEFAULT_EMBEDDING_MODEL,
  DEFAULT_RERANKER_MODEL,
  EMBEDDED_MODELS,
  type ModelFolderOptions,
  readModelFolder,
} from './model-folder.js';
export type { ModelKind, ModelShape, ModelSpec } from './model-spec.js';
export { listProviders, type ProviderChoice, type ProviderInfo } from './providers.js';
export { ThreadBudget } from './thread-budget.js';
