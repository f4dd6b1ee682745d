import type { ChunkColumns } from './chunk.js';
import type { Document } from './document.js';
import type { EmbeddingMatrix } from './embedder.js';
import type { Tokenizer } from './tokenizer.js';

/**
 * Cuts a document. Must be deterministic: the same document and options give the same chunks. Only 'semantic' and
 * chunkers of the caller answer with a promise.
 */
export interface Chunker {
  /** Name and options for the passport, e.g. 'structure(limit=254,overlap=38,tokenizer=…)'. */
  readonly fingerprint: string;
  /** Chunks are children that are found, and searches answer with their parents. Default false. */
  readonly parents?: boolean;
  chunk(document: Document): ChunkColumns | Promise<ChunkColumns>;
}

export const CHUNK_STRATEGIES = [
  'auto',
  'structure',
  'clauses',
  'faq',
  'recursive',
  'window',
  'words',
  'parent-child',
  'semantic',
  'whole',
] as const;

export type ChunkStrategy = (typeof CHUNK_STRATEGIES)[number];

/** What tokens are counted in: the embedder's own, or an encoding of OpenAI's. */
export const CHUNK_TOKENS = ['model', 'cl100k', 'o200k'] as const;
export type ChunkTokens = (typeof CHUNK_TOKENS)[number];

export interface ChunkSizes {
  readonly tokens: ChunkTokens;
  /** Without sizes: the embedder's window, overlap 15%. */
  readonly limitTokens?: number;
  readonly overlapTokens?: number;
  /** Sizes that are of one strategy. */
  readonly strategy?: ChunkStrategy;
  /** Of 'parent-child'. */
  readonly parentTokens?: number;
}

/** Named sizes: encoding, limit and overlap, and what cuts by them where that is not up to the caller. */
export const CHUNK_PRESETS = {
  model: { tokens: 'model' },
  'cl100k-256-32': { tokens: 'cl100k', limitTokens: 256, overlapTokens: 32 },
  'cl100k-500-75': { tokens: 'cl100k', limitTokens: 500, overlapTokens: 75 },
  'cl100k-1000-150': { tokens: 'cl100k', limitTokens: 1000, overlapTokens: 150 },
  'o200k-512-64': { tokens: 'o200k', limitTokens: 512, overlapTokens: 64 },
  'small-to-big': {
    tokens: 'model',
    strategy: 'parent-child',
    parentTokens: 280,
    limitTokens: 56,
    overlapTokens: 0,
  },
} as const satisfies Record<string, ChunkSizes>;

export type ChunkPreset = keyof typeof CHUNK_PRESETS;

/** What a user may set. docs/chunking.md says what each strategy does and when it pays. */
export interface ChunkOptions {
  /**
   * 'auto' (default): clauses and question–answer pairs where a text plainly consists of them, structure where there
   * is any, windows otherwise. Preset 'small-to-big' brings its own.
   */
  strategy?: ChunkStrategy;
  /** Named sizes. Default 'model': the embedder's window in its own tokens, overlap 15%. */
  preset?: ChunkPreset;
  /** What sizes are counted in. Default: by the preset, 'model' without one. */
  tokens?: ChunkTokens;
  /** Most tokens of a chunk, context prefix included. Default: by the preset; 'parent-child': 300, or the window. */
  limitTokens?: number;
  /** Tokens that neighbours of one section share; counts inside the limit. Default: by the preset; 'parent-child': 40. */
  overlapTokens?: number;
  /** 'words': words of a window. Default 120. */
  limitWords?: number;
  /** 'words': words that neighbouring windows share. Default 15% of `limitWords`. */
  overlapWords?: number;
  /** 'recursive': where to cut, best first. Default '\n## ', '\n\n', '\n', '. ', ', ', ' '. LF stands for any line end. */
  separators?: readonly string[];
  /** 'parent-child': most tokens of a parent. Default: by the preset, 1500 without one. */
  parentTokens?: number;
  /** 'semantic': cut where neighbouring sentences are farther apart than this percentile of a document. Default 95. */
  breakpointPercentile?: number;
  /** 'semantic': sentences on either side that a sentence is embedded with. Default 1. */
  bufferSentences?: number;
}

/** Options with every default filled in and the tokenizer at hand. */
export interface ResolvedChunkOptions {
  strategy: ChunkStrategy;
  limitTokens: number;
  overlapTokens: number;
  tokenizer: Tokenizer;
  /** Of 'words'. */
  words?: { readonly limit: number; readonly overlap: number };
  /** Of 'recursive'. */
  separators?: readonly string[];
  /** Of 'parent-child': children are held to `window` as well, in the embedder's own tokens. */
  parents?: {
    readonly limitTokens: number;
    readonly window: { readonly limitTokens: number; readonly tokenizer: Tokenizer };
  };
  /** Of 'semantic'. `model` names what embeds the sentences, for the fingerprint. */
  semantic?: {
    readonly percentile: number;
    readonly buffer: number;
    readonly model: string;
    readonly embed: EmbedSentences;
  };
}

/** Vectors of texts, a row each. */
export type EmbedSentences = (texts: readonly string[]) => Promise<EmbeddingMatrix>;

/** A chunk as a caller's chunker cuts it: UTF-16 positions in the document's text. */
export interface ChunkSpan {
  readonly start: number;
  readonly end: number;
  /** What answers for it. Default: its section. */
  readonly parent?: { readonly start: number; readonly end: number };
}

/** What a chunker module is given. */
export interface ChunkerContext {
  readonly tokenizer: Tokenizer;
  /** As `chunking` sets them, or by default. */
  readonly limitTokens: number;
  readonly overlapTokens: number;
  /** All columns of chunks with these spans: context prefixes, tokens, lines, pages, kinds, heading paths. */
  columns(document: Document, spans: readonly ChunkSpan[]): ChunkColumns;
}
