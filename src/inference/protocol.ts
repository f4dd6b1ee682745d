import type { ErrorRecord } from '../errors.js';
import type { ModelShape, ModelSpec } from './model-spec.js';
import type { ProviderChoice } from './providers.js';

/** Names a session: workers open it on first use and keep it until it is released. */
export interface ModelRef {
  /** Same key, same session. */
  key: string;
  spec: ModelSpec;
  provider: ProviderChoice;
}

/** Rows of a TextColumn whose buffers are transferred. */
interface Rows {
  bytes: Uint8Array;
  offsets: Uint32Array;
}

export type WorkerTask =
  | { kind: 'open'; model: ModelRef }
  | ({ kind: 'embed'; model: ModelRef; prefix: string } & Rows)
  | ({ kind: 'score'; model: ModelRef; query: string } & Rows);

export interface EmbedReply {
  /** Rows that were embedded: the first ones, at least one; all unless a query waits for a core. */
  rows: number;
  /** rows × dims. */
  vectors: Float32Array;
  tokens: number;
  pooled: number;
  tokenizeMs: number;
  inferenceMs: number;
}

/** How much of a passage was read: whole; all of it, by windows; or its most promising windows only. */
export const Coverage = { whole: 0, windowed: 1, promisingWindows: 2 } as const;

export interface ScoreReply {
  scores: Float32Array;
  /** By row, one of `Coverage`. */
  coverage: Uint8Array;
  /** Tokens at the end of the query that no model saw, because they took more than half of the window. */
  queryTokensCut: number;
  tokens: number;
  tokenizeMs: number;
  inferenceMs: number;
}

export interface ReplyOf {
  open: ModelShape;
  embed: EmbedReply;
  score: ScoreReply;
}

/** Errors cross as records: a thrown one would lose its code. */
export type WorkerReply<T> = { value: T } | { error: ErrorRecord };

/** What a worker gets when it starts. */
export interface WorkerSetup {
  /** Name of the engine's BroadcastChannel. */
  channel: string;
  /** Shared with the budget of cores; only workers of the bulk lane have it. */
  waitingQueries: Int32Array | undefined;
}

/** On the channel of an engine, from main to all workers. */
export interface ReleaseMessage {
  release: string;
}
