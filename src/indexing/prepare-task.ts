import type { DocumentReader, FileEntry } from '../documents/index.js';
import type { ErrorRecord } from '../errors.js';
import type { ModelSpec } from '../inference/index.js';
import type { ChunkOptions } from '../model/chunker.js';
import type { ContextCounts, ContextOptions } from '../model/context-line.js';
import type { Passport } from '../model/passport.js';
import type { SealedRecord } from '../model/sealed-record.js';
import type { TextColumn } from '../model/text-column.js';
import type { PackedInput } from './given-documents.js';
import type { SkippedItem } from './ledger.js';

/** A portion of work for a prepare worker: a few files, a block of JSONL lines, or documents of the caller. */
export type PrepareTask =
  | { kind: 'files'; files: FileEntry[] }
  | {
      kind: 'jsonl';
      file: FileEntry;
      bytes: Uint8Array;
      firstLine: number;
      lastBlock: boolean;
      /** Of the file on disk, for progress; differs from `bytes` where the file is compressed. */
      sourceBytes: number;
      /** Lines that were too long to read. */
      skipped: SkippedItem[];
    }
  /** Documents of the caller. */
  | { kind: 'inputs'; inputs: PackedInput[] };

/** A portion as it goes to a worker. Buffers in it are shared, not handed over: if the thread dies, it is done again. */
export interface PortionCall {
  task: PrepareTask;
  /** Memory of ItemMarks. */
  marks: SharedArrayBuffer;
}

/** What a file's reader made of it; `error` where it could not be read. */
export interface PreparedFile {
  file: FileEntry;
  error: ErrorRecord | null;
}

/** The worker's answer; all buffers are transferred. */
export interface PreparedBatch {
  documents: SealedRecord[];
  /** What the embedder reads: the rows of all documents, one document after another. */
  texts: TextColumn;
  /** EMBEDDING_HASH_BYTES a row: what a vector that is known already is found by. */
  embeddingHashes: Uint8Array;
  skipped: SkippedItem[];
  /** Files that this batch finishes: their state is written with the commit of the batch's documents. */
  files: PreparedFile[];
  /** The file of many records that this is a portion of. */
  recordsOf: string | null;
  /** Documents that are in, but for context lines that could not be made. */
  incomplete: SkippedItem[];
  contexts: ContextCounts;
  bytes: number;
  readMs: number;
  chunkMs: number;
}

/** Where the tokenizer of the chunk limit comes from. */
export type TokenizerSource = { kind: 'model'; path: string } | { kind: 'bpe'; name: 'cl100k' };

/** The parts of the passport that prepare workers know. */
export type Fingerprints = Required<Pick<Passport, 'chunker' | 'parents' | 'analyzer' | 'dictionary'>> & {
  /** Said even where there are none: an index that was made with some must not be opened without. */
  readers: string | undefined;
};

/** What the walk must know of a caller's reader. */
export type ReaderNames = Pick<DocumentReader, 'name' | 'extensions' | 'format'>;

/** What a prepare worker is started with. */
export interface PrepareSetup {
  tokenizer: TokenizerSource;
  /** Window of the embedder in tokens, special ones included. */
  windowTokens: number;
  /** What the embedder puts before a passage. */
  passagePrefix: string;
  chunking: ChunkOptions;
  /** Of files whose bytes don't tell it: a label of the Encoding Standard. */
  encoding?: string;
  /** Where the line comes from that tells each chunk where it stands. */
  context?: ContextOptions;
  /** Count what would be asked about chunks, and ask nothing. */
  estimateContext?: boolean;
  /** One Int32, not 0 while the run that waits has been aborted: calls over the network end then. */
  stop?: SharedArrayBuffer;
  /** A local model, where sentences are embedded while documents are cut. */
  sentences?: ModelSpec;
  /** URLs of modules of the caller. */
  chunker?: string;
  readers?: readonly string[];
  /** Milliseconds that a module of the caller may take for one file, record or document. */
  moduleTimeoutMs?: number;
  /** Memory of ThreadMarks. */
  threadMarks?: SharedArrayBuffer;
}
