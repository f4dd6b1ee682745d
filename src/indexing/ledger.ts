import { noContextCounts } from '../context-lines/index.js';
import type { ErrorCode, ErrorRecord } from '../errors.js';

/** A file, record or document that did not get in, and why. */
export interface SkippedItem {
  /** File, `file:line`, or document id. */
  source: string;
  /** The file that a record is of. */
  file?: string;
  error: ErrorRecord;
}

/** Thread time by stage in milliseconds; stages overlap, so shares are of their sum, not of the wall clock. */
export interface StageMs {
  read: number;
  chunk: number;
  tokenize: number;
  embed: number;
  store: number;
}

/** What a run did: every file that was seen is in exactly one of done, unchanged or failed. */
export interface LedgerCounts {
  filesSeen: number;
  filesDone: number;
  filesUnchanged: number;
  filesFailed: number;
  /** Files whose format has no reader; they are no candidates and do not make a run partial. */
  filesIgnored: number;
  filesRemoved: number;
  bytesDone: number;
  documents: number;
  documentsUnchanged: number;
  documentsRemoved: number;
  /** Chunks that are committed. */
  chunks: number;
  /** Chunks that are embedded; ahead of `chunks` while a run goes on. */
  embedded: number;
  /** Chunks whose vectors were there already: of an older version, a copy, or the place that a file moved from. */
  chunksReused: number;
  /** Tokens that the embedder read, special ones included. */
  tokens: number;
  /** Chunks over the model's window: embedded by windows and pooled, nothing dropped. */
  pooledChunks: number;
  overLimitChunks: number;
  /** Only remote models cut texts; what they cut is counted here. */
  truncatedChunks: number;
  truncatedTokens: number;
  skipped: number;
}

/** Most skipped items that are kept one by one; the rest is only counted by code. */
export const LISTED_SKIPS = 1_000;

/** Counts what happens to everything that enters a run. Memory is bounded: it never grows with the corpus. */
export class Ledger {
  readonly counts: LedgerCounts = {
    filesSeen: 0,
    filesDone: 0,
    filesUnchanged: 0,
    filesFailed: 0,
    filesIgnored: 0,
    filesRemoved: 0,
    bytesDone: 0,
    documents: 0,
    documentsUnchanged: 0,
    documentsRemoved: 0,
    chunks: 0,
    embedded: 0,
    chunksReused: 0,
    tokens: 0,
    pooledChunks: 0,
    overLimitChunks: 0,
    truncatedChunks: 0,
    truncatedTokens: 0,
    skipped: 0,
  };
  readonly stageMs: StageMs = { read: 0, chunk: 0, tokenize: 0, embed: 0, store: 0 };
  readonly skipped: SkippedItem[] = [];
  /** Documents that are in, but for context lines: the first thousand. */
  readonly incomplete: SkippedItem[] = [];
  readonly contexts = noContextCounts();
  readonly skippedByCode = new Map<ErrorCode, number>();

  skip(item: SkippedItem): void {
    this.counts.skipped++;
    this.skippedByCode.set(item.error.code, (this.skippedByCode.get(item.error.code) ?? 0) + 1);
    if (this.skipped.length < LISTED_SKIPS) this.skipped.push(item);
  }

  noteIncomplete(item: SkippedItem): void {
    if (this.incomplete.length < LISTED_SKIPS) this.incomplete.push(item);
  }

  add(counts: Partial<LedgerCounts>): void {
    for (const [name, value] of Object.entries(counts)) this.counts[name as keyof LedgerCounts] += value;
  }

  spend(ms: Partial<StageMs>): void {
    for (const [stage, value] of Object.entries(ms)) this.stageMs[stage as keyof StageMs] += value;
  }

  /** Fractions of the summed thread time, 0 to 1. */
  shares(): StageMs {
    const { read, chunk, tokenize, embed, store } = this.stageMs;
    const total = read + chunk + tokenize + embed + store || 1;
    return {
      read: read / total,
      chunk: chunk / total,
      tokenize: tokenize / total,
      embed: embed / total,
      store: store / total,
    };
  }
}
