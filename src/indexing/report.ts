import type { ErrorCode } from '../errors.js';
import type { ContextCounts } from '../model/context-line.js';
import type { Ledger, LedgerCounts, SkippedItem, StageMs } from './ledger.js';

export type IndexPhase = 'indexing' | 'publishing' | 'done';

/** A snapshot of a running job. Rates are over the whole run so far. */
export interface IndexProgress extends LedgerCounts {
  phase: IndexPhase;
  elapsedMs: number;
  /** Bytes of all candidate files, as far as they have been counted. */
  bytesTotal: number;
  /** True when `bytesTotal` is final. */
  totalKnown: boolean;
  chunksPerSecond: number;
  tokensPerSecond: number;
  /** Milliseconds to the end, by bytes; null until there is enough to tell. */
  etaMs: number | null;
  stageShares: StageMs;
}

/** What a finished run says. */
export interface IndexReport extends LedgerCounts {
  elapsedMs: number;
  generation: number;
  chunksPerSecond: number;
  tokensPerSecond: number;
  stageMs: StageMs;
  stageShares: StageMs;
  /** The first thousand; `skippedByCode` counts all. */
  skippedItems: SkippedItem[];
  skippedByCode: Partial<Record<ErrorCode, number>>;
  /** What context lines took; all 0 without them. */
  contexts: ContextCounts;
  /** Documents that are in, but for context lines that could not be made: the next run asks for these again. The first thousand. */
  incompleteItems: SkippedItem[];
  /** How long the main thread's event loop was held up while indexing: 99th percentile, its resolution subtracted. */
  eventLoop: EventLoopDelay;
  /** True after an abort: what was embedded until then is in, and running again goes on from there. */
  interrupted: boolean;
}

const MIN_ETA_MS = 2_000;

/** Total size of the candidate files; grows while the census walks ahead of the pipeline. */
export interface Census {
  bytes: number;
  complete: boolean;
}

export function progressOf(
  ledger: Ledger,
  phase: IndexPhase,
  elapsedMs: number,
  census: Census,
): IndexProgress {
  const { counts } = ledger;
  const seconds = Math.max(elapsedMs, 1) / 1_000;
  const left = Math.max(0, census.bytes - counts.bytesDone);
  const known = census.complete && counts.bytesDone > 0 && elapsedMs >= MIN_ETA_MS;
  return {
    ...counts,
    phase,
    elapsedMs,
    bytesTotal: census.bytes,
    totalKnown: census.complete,
    chunksPerSecond: counts.embedded / seconds,
    tokensPerSecond: counts.tokens / seconds,
    etaMs: known ? (elapsedMs * left) / counts.bytesDone : null,
    stageShares: ledger.shares(),
  };
}

export interface EventLoopDelay {
  p99Ms: number;
  maxMs: number;
  /** Sampling interval of the measurement, subtracted from both. */
  resolutionMs: number;
}

export function reportOf(
  ledger: Ledger,
  elapsedMs: number,
  rest: Pick<IndexReport, 'generation' | 'interrupted' | 'eventLoop'>,
): IndexReport {
  const seconds = Math.max(elapsedMs, 1) / 1_000;
  return {
    ...ledger.counts,
    ...rest,
    elapsedMs,
    chunksPerSecond: ledger.counts.embedded / seconds,
    tokensPerSecond: ledger.counts.tokens / seconds,
    stageMs: { ...ledger.stageMs },
    stageShares: ledger.shares(),
    skippedItems: [...ledger.skipped],
    skippedByCode: Object.fromEntries(ledger.skippedByCode),
    contexts: { ...ledger.contexts },
    incompleteItems: [...ledger.incomplete],
  };
}
