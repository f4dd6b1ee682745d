import type { TextColumn } from './text-column.js';

/** Rows of equal length, one after another: row i is `data.subarray(i * dims, (i + 1) * dims)`. */
export interface EmbeddingMatrix {
  readonly rows: number;
  readonly dims: number;
  readonly data: Float32Array;
}

/** What the models did with the texts of one call. */
export interface EmbeddingCost {
  /** Tokens that a model read, special tokens included. */
  tokens: number;
  /** Texts over the window, embedded by windows and pooled. No token is dropped. */
  pooled: number;
  /** Texts that a remote model cut, and the tokens that it dropped; 0 for local models. */
  truncatedTexts: number;
  truncatedTokens: number;
  /** Milliseconds of thread time spent tokenizing and inside the model, summed over workers. */
  tokenizeMs: number;
  inferenceMs: number;
}

/** The cost of nothing, to add to. */
export function emptyCost(): EmbeddingCost {
  return { tokens: 0, pooled: 0, truncatedTexts: 0, truncatedTokens: 0, tokenizeMs: 0, inferenceMs: 0 };
}

export interface EmbedResult {
  matrix: EmbeddingMatrix;
  cost: EmbeddingCost;
}

/** What shapes a vector: goes into the passport field by field. */
export interface EmbedderFingerprint {
  /** 'onnx' for local models; a remote or caller-made embedder names itself. */
  kind: string;
  /** Human-readable, never compared: a renamed folder of the same bytes is the same model. */
  name: string;
  /** Content-based identity: sha256 of the model's bytes, or what a remote model calls itself. */
  model: string;
  tokenizer: string;
  dims: number;
  /** Most tokens of one model call, special tokens included. */
  windowTokens: number;
  pooling: 'mean' | 'cls' | 'none';
  normalized: boolean;
  queryPrefix: string;
  passagePrefix: string;
}

/**
 * Texts → matrix. Local ONNX models, remote services and vectors that the caller brings are all this.
 * `embed` resolves in input order and rejects as a whole; the pipeline retries rows alone to find the bad one.
 */
export interface Embedder {
  readonly fingerprint: EmbedderFingerprint;
  /** `query` uses a lane of its own and the query prefix. */
  embed(texts: TextColumn, purpose: 'passage' | 'query', signal?: AbortSignal): Promise<EmbedResult>;
  /** Releases sessions and workers. Idempotent. */
  close(): Promise<void>;
}
