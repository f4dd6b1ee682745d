/** Sluice: an in-process retrieval engine for Node.js. Start with `openIndex`. */
export { AddRun } from './add-run.js';
export { type Citation, type Context, type PackOptions, packContext } from './context/index.js';
export { countTokens } from './count-tokens.js';
export {
  type CallerEmbedderOptions,
  callerEmbedder,
  type LocalEmbedderOptions,
  lookUpVectors,
  openEmbedder,
  type RemoteEmbedderOptions,
  remoteEmbedder,
} from './embedding/index.js';
export { ERROR_CODES, type ErrorCode, type ErrorRecord, SluiceError } from './errors.js';
export {
  type EvaluationReport,
  evaluate,
  readQrels,
  readQueries,
  renderTable,
  standardConfigurations,
} from './evaluation/index.js';
export type { AddOptions, AddSource, IndexProgress, IndexReport, SkippedItem } from './indexing/index.js';
export type { ChunkColumns } from './model/chunk.js';
export type { Chunker, ChunkOptions } from './model/chunker.js';
export type { Document, DocumentFormat, DocumentInput, Metadata } from './model/document.js';
export type {
  Embedder,
  EmbedderFingerprint,
  EmbeddingCost,
  EmbeddingMatrix,
  EmbedResult,
} from './model/embedder.js';
export type { AsOf, Filter, FilterCondition, FilterScalar, FilterValue } from './model/filter.js';
export type { Passport } from './model/passport.js';
export type { Reranker, RerankScores } from './model/reranker.js';
export type {
  Store,
  StoredChunk,
  StoredDocument,
  StoreReader,
  StoreStats,
  StoreWriter,
} from './model/store.js';
export { packTexts, type TextColumn, unpackTexts } from './model/text-column.js';
export type { StageTiming, StageTimings } from './model/timings.js';
export type { Tokenizer } from './model/tokenizer.js';
export { openIndex } from './open-index.js';
export type { OpenIndexOptions } from './open-options.js';
export { openReranker } from './reranking/index.js';
export {
  type Hit,
  type HitScores,
  hitTitle,
  type SearchOptions,
  type SearchResult,
} from './retrieval/index.js';
export type { IndexStats, SluiceIndex } from './sluice-index.js';
