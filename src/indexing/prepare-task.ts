import type { ErrorRecord } from '../errors.js';
import type { ChunkOptions } from '../model/chunker.js';
import type { DocumentFormat, DocumentInput } from '../model/document.js';
import type { DocumentRecord } from '../model/store.js';
import type { SkippedItem } from './ledger.js';

/** A candidate file, as the walk found it. */
export interface SourceFile {
  path: string;
  source: string;
  size: number;
  mtimeMs: number;
  format: DocumentFormat;
  language?: string;
}

/** A portion of work for a prepare worker: a few files, a block of JSONL lines, or documents of the caller. */
export type PrepareTask =
  | { kind: 'files'; files: SourceFile[] }
  | { kind: 'jsonl'; file: SourceFile; bytes: Uint8Array; firstLine: number; lastBlock: boolean }
  | { kind: 'inputs'; inputs: DocumentInput[] };

/** What a file's reader made of it; `error` where it could not be read. */
export interface PreparedFile {
  file: SourceFile;
  error: ErrorRecord | null;
}

/** The worker's answer; all buffers are transferred. */
export interface PreparedBatch {
  documents: DocumentRecord[];
  skipped: SkippedItem[];
  /** Files that this batch finishes: their state is written with the commit of the batch's documents. */
  files: PreparedFile[];
  bytes: number;
  readMs: number;
  chunkMs: number;
}

/** Where the tokenizer of the chunk limit comes from. */
export type TokenizerSource = { kind: 'model'; path: string } | { kind: 'bpe'; name: 'cl100k' | 'o200k' };

/** What a prepare worker is started with. */
export interface PrepareSetup {
  tokenizer: TokenizerSource;
  /** Window of the embedder in tokens, special ones included. */
  windowTokens: number;
  /** What the embedder puts before a passage. */
  passagePrefix: string;
  chunking: ChunkOptions;
}
