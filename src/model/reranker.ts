import type { TextColumn } from './text-column.js';

export interface RerankScores {
  /** One score a passage, in input order; higher answers better. Logits, not probabilities. */
  readonly scores: Float32Array;
  /** 1 where the passage was over the window and its score is the best over windows. */
  readonly windowed: Uint8Array;
}

/** Reads question and passage together. Never adds a passage, never drops one. */
export interface Reranker {
  readonly fingerprint: { kind: string; name: string; model: string; windowTokens: number };
  score(query: string, passages: TextColumn, signal?: AbortSignal): Promise<RerankScores>;
  close(): Promise<void>;
}
