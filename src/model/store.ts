import type { ErrorRecord } from '../errors.js';
import type { BlockKindName, DocumentFormat, Metadata } from './document.js';
import type { DocumentRecord } from './document-record.js';
import type { EmbedderFingerprint, EmbeddingMatrix } from './embedder.js';
import type { Filter, FilterScalar } from './filter.js';
import type { Passport } from './passport.js';
import type { SealedRecord } from './sealed-record.js';
import type { TextColumn } from './text-column.js';

/** A chunk's number in an index. Given out in ascending order and never used twice. */
export type Label = number;

/** What one leg found, best first. */
export interface LegResult {
  readonly labels: Uint32Array;
  /** Higher is better: BM25, or cosine similarity. */
  readonly scores: Float32Array;
}

/** State of a source file, so that an unchanged one costs a stat. */
export interface SourceState {
  source: string;
  /** Bytes and whole milliseconds of the file when it was read. */
  size: number;
  mtimeMs: number;
  /** 'done': all its documents are in; 'failed': see `error`; 'partial': in, but not all of it, so it is read again. */
  status: 'done' | 'failed' | 'partial';
  error: ErrorRecord | null;
}

/** A file or folder that was named to be indexed. */
export interface Root {
  name: string;
  /** Absolute. */
  path: string;
}

/** A part of a sorted list: what comes after a value, so many at most. */
export interface SourcePage {
  after?: string;
  limit?: number;
}

/** One commit: all of it becomes visible, or nothing. A document id that exists is replaced. */
export interface CommitBatch {
  /** A record may come sealed, by `sealRecord` in the thread that made it, so that no thread in between unpacks it. */
  documents: { record: DocumentRecord | SealedRecord; vectors: EmbeddingMatrix }[];
  removeDocuments: string[];
  sources: SourceState[];
  /** New metadata for documents that stay as they are otherwise; ids that are not in are passed over. */
  updateMetadata?: { id: string; metadata: Metadata }[];
}

export interface CommitResult {
  generation: number;
  addedChunks: number;
  removedChunks: number;
  updatedDocuments: number;
}

/** A chunk with all that a hit shows. */
export interface StoredChunk {
  label: Label;
  /** Content-based and stable: same document id, same text, same id. */
  chunkId: string;
  documentId: string;
  source: string;
  title: string;
  headingPath: string;
  text: string;
  start: number;
  end: number;
  startLine: number;
  endLine: number;
  /** 1-based page that it begins on; 0 where the document has no pages. */
  page: number;
  /** The span of the document's text that answers for it: see ChunkColumns. */
  parentStart: number;
  parentEnd: number;
  tokens: number;
  kind: BlockKindName;
  metadata: Metadata;
  /** Which index it is of, where several are searched as one: document ids are each index's own. */
  index?: string;
}

/** Tells documents apart, of several indexes too. */
export function documentKey({ index, documentId }: Pick<StoredChunk, 'index' | 'documentId'>): string {
  return index === undefined ? documentId : `${index.length}:${index}${documentId}`;
}

export interface StoredDocument {
  id: string;
  source: string;
  title: string;
  format: DocumentFormat;
  metadata: Metadata;
  text: string;
  chunks: StoredChunk[];
}

/** A document as lists show it: all but its text. */
export interface DocumentEntry {
  id: string;
  source: string;
  title: string;
  format: DocumentFormat;
  metadata: Metadata;
  /** How many chunks it was cut into. */
  chunks: number;
}

export interface DocumentCounts {
  documents: number;
  chunks: number;
}

/** A value of a metadata field, and how much has it. Numbers, strings, booleans and null are told apart. */
export interface FacetValue extends DocumentCounts {
  value: FilterScalar;
}

export interface StoreStats {
  generation: number;
  documents: number;
  chunks: number;
  tokens: number;
  overLimitChunks: number;
  failedSources: SourceState[];
  sources: number;
  /** Bytes on disk: the database, the keyword index, the graph, the metadata columns. */
  bytes: { database: number; keywords: number; graph: number; filters: number };
  /** Vectors in the published graph, and those that are scanned exactly. */
  graphVectors: number;
  tailVectors: number;
  /** What was found damaged and how it was made good, in sentences. */
  problems?: string[];
}

/**
 * A set of allowed chunks as bits by label: bit `label & 7` of byte `label >> 3`. `count` is exact.
 */
export interface LabelSet {
  readonly bits: Uint8Array;
  readonly count: number;
}

export interface Facets {
  /** Most documents first; equal ones by value: null, booleans, numbers, strings by code point. */
  values: FacetValue[];
  /** How many values there are, also where `values` was cut. */
  distinct: number;
}

/** Readers see one generation; `refresh` moves to the newest. Legs take k ≥ 0 and return fewer only if fewer exist. */
export interface StoreReader {
  readonly generation: number;
  /** What was found damaged and how it was made good, in sentences; as of the last refresh. */
  readonly problems: readonly string[];
  refresh(): Promise<void>;
  /** Whether anything was published since the last refresh, by whichever process. Costs a question to a thread. */
  isStale(): Promise<boolean>;
  /**
   * Live chunks that pass the filter; cached by generation and filter. Undefined filter: all live chunks.
   * @param optional fields that no document needs to have: missing then, where others would be unknown
   */
  select(filter: Filter | undefined, optional?: ReadonlySet<string>): Promise<LabelSet>;
  /** What passes the filter. */
  count(filter: Filter | undefined): Promise<DocumentCounts>;
  /**
   * Values of a field among the documents that pass the filter, up to `limit`. Each element of an array counts; objects
   * and what lies inside nested arrays have no value.
   * @throws SLUICE_FILTER_UNKNOWN_FIELD where no document has the field
   */
  facets(field: string, filter: Filter | undefined, limit: number): Promise<Facets>;
  /**
   * Documents that pass, up to `limit`, in the order of their ids by code point, after the id `after`. Going on after
   * the last one of a page meets each document that was there all the time once, whatever is committed meanwhile.
   */
  list(filter: Filter | undefined, after: string | undefined, limit: number): Promise<DocumentEntry[]>;
  searchKeywords(query: string, k: number, allowed: LabelSet): Promise<LegResult>;
  searchVectors(query: Float32Array, k: number, allowed: LabelSet, ef?: number): Promise<LegResult>;
  /** In the order of the labels; a label that is not live is left out. */
  chunks(labels: Uint32Array): Promise<StoredChunk[]>;
  /** As `chunks`, with text, span, lines and page of what answers for each chunk: see `parentStart`. */
  parents(labels: Uint32Array): Promise<StoredChunk[]>;
  document(id: string): Promise<StoredDocument | undefined>;
  /** Which of these document ids are live; same order. */
  has(ids: string[]): Promise<boolean[]>;
  stats(): Promise<StoreStats>;
  close(): Promise<void>;
}

/** How far a long piece of maintenance is. */
export interface MaintenanceProgress {
  /** What is being done, e.g. 'documents', 'keyword index'. */
  phase: string;
  /** In the units of the phase; `total` is 0 where it is not known. */
  done: number;
  total: number;
}

/** How far the vectors of another model are made; of the chunks that are live. */
export interface ReembeddingState {
  done: number;
  total: number;
}

/** What a compaction left. */
export interface CompactReport {
  generation: number;
  /** Bytes of all files of the index. */
  bytesBefore: number;
  bytesAfter: number;
  /** Whether no file holds erased text any more. False where another connection kept an older state open. */
  erased: boolean;
  durationMs: number;
}

/** Documents whose vectors may be known already: new versions of what is in, copies, or what moved. In columns. */
export interface KnownVectorsQuery {
  ids: string[];
  /** See `textHash`. */
  textHashes: Float64Array;
  /** Chunks of each document. */
  rows: Uint32Array;
  /** 0 for a document that is only counted: none of its rows is looked for. */
  wanted: Uint8Array;
  /** EMBEDDING_HASH_BYTES a chunk, one document after another. */
  embeddingHashes: Uint8Array;
}

/** What is known of the rows of some documents, one document after another. */
export interface KnownVectors {
  /** 1 for each row whose vector is known. */
  known: Uint8Array;
  /** Rows that are known. */
  count: number;
  /** rows × dims, zeros where a row is not known; null where none is. */
  data: Float32Array | null;
}

/** Chunks that wait for a vector of another model, and what it is to read. */
export interface TextsToEmbed {
  labels: Uint32Array;
  texts: TextColumn;
  /** Rows of which it cannot be proved that they are what the former model read. */
  uncertain: number;
}

/** The single writer. All methods are serialised in the order of the calls. */
export interface StoreWriter {
  /** Generation of the newest commit; 0 in a new index. */
  readonly generation: number;
  /** Which of these documents are already in with the same content; same order as the input. */
  unchanged(documents: { id: string; contentHash: string }[]): Promise<boolean[]>;
  /** For the document ids that exist: the source that holds them, and the generation that brought them in. */
  owners(ids: string[]): Promise<Map<string, { source: string; generation: number }>>;
  /**
   * Vectors that the index holds of the same embedding text, so that only the rest is embedded: those of all versions of
   * the same document, and of all documents of the same text, dead ones too until they are purged.
   */
  knownVectors(query: KnownVectorsQuery): Promise<KnownVectors>;
  sourceStates(sources: string[]): Promise<Map<string, SourceState>>;
  /** Sources that start with the prefix (literal, no patterns), sorted by their bytes. */
  sourcesUnder(prefix: string, page?: SourcePage): Promise<string[]>;
  documentsOf(source: string): Promise<string[]>;
  /** Drops the state of a file that is gone; its documents are removed by `commit`. */
  forgetSource(source: string): Promise<void>;
  /**
   * The stable name of a file or folder that is indexed: below the innermost root that covers it, as in `docs/sub`. A
   * path that no root covers becomes one: its name is its base name, or with a number where another path has that.
   */
  rootName(absolutePath: string): Promise<string>;
  /** The same for a path that a root covers; undefined for others, which stay unknown. */
  knownName(absolutePath: string): Promise<string | undefined>;
  /** Roots that lie below a path, the path itself left out: each keeps the names of what it covers. */
  rootsInside(absolutePath: string): Promise<Root[]>;
  commit(batch: CommitBatch): Promise<CommitResult>;
  /** Brings keyword index and graph up to the newest commit and makes them durable. */
  publish(): Promise<void>;
  /** Erases what is not live from all files, and builds what is derived anew. */
  compact(onProgress?: (progress: MaintenanceProgress) => void): Promise<CompactReport>;
  /**
   * Begins to make all vectors anew with another model, beside those in use, or goes on where a run with the same
   * model stopped.
   */
  beginReembedding(embedder: EmbedderFingerprint): Promise<ReembeddingState>;
  /** The next up to `limit` texts; no rows when all were given. */
  nextToReembed(limit: number): Promise<TextsToEmbed>;
  addReembedded(labels: Uint32Array, vectors: EmbeddingMatrix): Promise<void>;
  /**
   * Builds the graph of the new vectors, where they are enough for one, beside the one in use. Takes as long as any graph
   * does; without it, searches scan all new vectors until the next publish.
   */
  graphReembedded(dims: number): Promise<void>;
  /**
   * Puts the new vectors and this passport into the place of the old ones, all at once. The writer and all readers
   * are of the old vectors and must be opened again.
   */
  finishReembedding(passport: Passport): Promise<void>;
  close(): Promise<void>;
}

/** Where chunks live. Local now; a cluster later. */
export interface Store {
  /** Absolute path of the index. */
  readonly folder: string;
  readonly passport: Passport;
  reader(): Promise<StoreReader>;
  /** Fails with SLUICE_INDEX_LOCKED if another process writes. */
  writer(): Promise<StoreWriter>;
  close(): Promise<void>;
}
