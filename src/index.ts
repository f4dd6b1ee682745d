/** Sluice: an in-process retrieval engine for Node.js. Start with `openIndex`. */
export { AddRun } from './add-run.js';
export type { AuditProgress, AuditReport } from './audit/index.js';
export { type AuditOptions, auditFolder } from './audit-folder.js';
export { type Citation, type Context, type PackOptions, packContext } from './context/index.js';
export { type ContextEstimate, estimateContext } from './context-estimate.js';
export { countTokens } from './count-tokens.js';
export type { RemoveResult, UpdateResult } from './document-changes.js';
export type {
  DocumentList,
  FacetOptions,
  ListOptions,
  ScannedDocument,
  ScanOptions,
} from './document-lists.js';
export type { DocumentSelection } from './document-selection.js';
export type { DocumentReader, ReadResult } from './documents/index.js';
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
export type {
  AddOptions,
  AddSource,
  IndexProgress,
  IndexReport,
  SkippedItem,
  WatchOptions,
  WatchRun,
} from './indexing/index.js';
export type { MetadataPatch } from './metadata-patch.js';
export type { ChunkColumns } from './model/chunk.js';
export type {
  Chunker,
  ChunkerContext,
  ChunkOptions,
  ChunkPreset,
  ChunkSpan,
  ChunkStrategy,
  ChunkTokens,
} from './model/chunker.js';
export type {
  ContextCounts,
  ContextOptions,
  EndpointContextOptions,
  ExtractiveContextOptions,
} from './model/context-line.js';
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
  DocumentCounts,
  DocumentEntry,
  FacetValue,
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
export type { GraphOptions, OpenIndexOptions } from './open-options.js';
export { type ReembedOptions, type ReembedProgress, type ReembedReport, ReembedRun } from './reembed-run.js';
export { openReranker } from './reranking/index.js';
export {
  type Hit,
  type HitScores,
  hitTitle,
  type SearchOptions,
  type SearchResult,
} from './retrieval/index.js';
export { type IndexesSearchResult, searchIndexes } from './search-indexes.js';
export type { IndexStats, SluiceIndex } from './sluice-index.js';
export {
  type BackupReport,
  type BuildOptions,
  backupIndex,
  type CompactReport,
  compactIndex,
  type DroppedDocument,
  type ExportFormat,
  type ExportOptions,
  type ExportReport,
  type ExportVectors,
  exportIndex,
  type Finding,
  type ImportOptions,
  type ImportReport,
  type IndexPart,
  importIndex,
  type MaintenanceOptions,
  type MaintenanceProgress,
  migrateIndex,
  type OnProgress,
  type RepairOptions,
  type RepairReport,
  repairIndex,
  type VerifyReport,
  verifyIndex,
} from './store/index.js';
