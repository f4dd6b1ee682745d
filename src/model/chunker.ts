import type { ChunkColumns } from './chunk.js';
import type { Document } from './document.js';
import type { Tokenizer } from './tokenizer.js';

/** Cuts a document. Must be deterministic: the same document and options give the same chunks. */
export interface Chunker {
  /** Name and options for the passport, e.g. 'structure(limit=254,overlap=38,tokenizer=…)'. */
  readonly fingerprint: string;
  chunk(document: Document): ChunkColumns;
}

export type ChunkStrategy = 'auto' | 'structure' | 'window' | 'whole';

/** What a user may set. Sizes are tokens of `tokenizer`. */
export interface ChunkOptions {
  /** 'auto': structure for Markdown and HTML, windows otherwise. Default 'auto'. */
  strategy?: ChunkStrategy;
  /** Named sizes: 'model' (the embedder's window, overlap 15%; default) or 'cl100k-500-75'. */
  preset?: 'model' | 'cl100k-500-75';
  /** Most tokens of a chunk, context prefix included. Default: by the preset. */
  limitTokens?: number;
  /** Tokens that neighbouring windows of one section share; counts inside the limit. Default: by the preset. */
  overlapTokens?: number;
}

/** Options with every default filled in and the tokenizer at hand. */
export interface ResolvedChunkOptions {
  strategy: ChunkStrategy;
  limitTokens: number;
  overlapTokens: number;
  tokenizer: Tokenizer;
}
