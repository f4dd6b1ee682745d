import type { ErrorCode } from '../errors.js';
import type { Ledger, SkippedItem } from '../indexing/ledger.js';
import type { DocumentFormat } from '../model/document.js';
import { SIZE_STEPS } from './audit-task.js';
import type { AuditRule } from './document-audit.js';
import type { DroppedFile, DroppedReason } from './dropped-sums.js';
import type { ChunkPlace, Findings, FormatCounts, ListedViolation, RepeatedText } from './findings.js';

/** How far an audit is. */
export interface AuditProgress {
  documents: number;
  chunks: number;
  violations: number;
  filesSeen: number;
  filesDone: number;
  bytesDone: number;
  skipped: number;
  elapsedMs: number;
}

/** Chunk sizes in tokens of what models read, prefix included. */
export interface ChunkSizes {
  limitTokens: number;
  smallest: number;
  mean: number;
  /** To a hundredth of the limit; half, nine tenths, and 99 of 100 chunks have at most so many. */
  p50: number;
  p90: number;
  p99: number;
  largest: number;
  /** Chunks in ten steps up to the limit, and those over it. */
  histogram: { overTokens: number; upToTokens: number | null; chunks: number }[];
}

export interface AuditReport {
  /** No chunk breaks a rule, and no file lost more of its text than is allowed. */
  clean: boolean;
  elapsedMs: number;
  bytesPerSecond: number;
  /** Of the whole process, from its start on. */
  peakMemoryBytes: number;
  threads: number;
  filesSeen: number;
  filesDone: number;
  filesFailed: number;
  filesIgnored: number;
  bytesDone: number;
  documents: number;
  chunks: number;
  tokens: number;
  /** Characters that are not white space, and those of them in no chunk because they are front matter. */
  chars: number;
  frontMatterChars: number;
  byFormat: Partial<Record<DocumentFormat, FormatCounts>>;
  sizes: ChunkSizes;
  /** Chunks over the limit that are flagged as such: no cut could make them smaller. */
  overLimit: number;
  violations: {
    total: number;
    byRule: Partial<Record<AuditRule, number>>;
    /** The first thousand, at most twenty of a document. */
    listed: ListedViolation[];
  };
  /** Chunks that say what another one has said; white space at their ends is not compared. */
  repeated: {
    chunks: number;
    share: number;
    /** False from about a million different texts on: then a sample of them is counted. */
    exact: boolean;
    most: RepeatedText[];
  };
  /** Chunks that open by pointing at another one: an estimate by their first words. */
  orphaned: { chunks: number; share: number; examples: ChunkPlace[] };
  dropped: {
    textChars: number;
    /** Of all text, from 0 to 1. */
    textShare: number;
    /** Files that lost more than is allowed. */
    failed: number;
    byReason: DroppedReason[];
    /** The files that lost the largest share of their text. */
    worst: DroppedFile[];
  };
  skipped: number;
  skippedItems: SkippedItem[];
  skippedByCode: Partial<Record<ErrorCode, number>>;
}

export function reportOf(
  findings: Findings,
  ledger: Ledger,
  elapsedMs: number,
  threads: number,
): AuditReport {
  const { counts, dropped } = findings;
  const { filesSeen, filesDone, filesFailed, filesIgnored, bytesDone, skipped } = ledger.counts;
  return {
    clean: counts.violations === 0 && counts.damagedFiles === 0,
    elapsedMs,
    bytesPerSecond: bytesDone / (Math.max(elapsedMs, 1) / 1_000),
    peakMemoryBytes: process.resourceUsage().maxRSS * 1_024,
    threads,
    ...{ filesSeen, filesDone, filesFailed, filesIgnored, bytesDone },
    documents: counts.documents,
    chunks: counts.chunks,
    tokens: counts.tokens,
    chars: counts.chars,
    frontMatterChars: counts.frontMatterChars,
    byFormat: Object.fromEntries(findings.byFormat),
    sizes: sizesOf(findings),
    overLimit: counts.overLimit,
    violations: {
      total: counts.violations,
      byRule: Object.fromEntries(findings.byRule),
      listed: [...findings.violations],
    },
    repeated: repeatedOf(findings),
    orphaned: {
      chunks: counts.orphans,
      share: counts.orphans / Math.max(1, counts.chunks),
      examples: [...findings.orphans],
    },
    dropped: {
      textChars: dropped.textChars,
      textShare: dropped.textChars / Math.max(1, dropped.textChars + counts.chars),
      failed: counts.damagedFiles,
      byReason: dropped.byReason(),
      worst: [...dropped.worst()],
    },
    skipped,
    skippedItems: [...ledger.skipped],
    skippedByCode: Object.fromEntries(ledger.skippedByCode),
  };
}

function repeatedOf(findings: Findings): AuditReport['repeated'] {
  const { chunks } = findings.counts;
  const repeated = Math.max(0, chunks - findings.texts.count);
  return {
    chunks: repeated,
    share: repeated / Math.max(1, chunks),
    exact: findings.texts.isExact,
    most: findings.repeats(),
  };
}

const HISTOGRAM_STEPS = 10;

function sizesOf({ sizes, counts, limitTokens, smallestTokens, largestTokens }: Findings): ChunkSizes {
  const perBar = (SIZE_STEPS - 1) / HISTOGRAM_STEPS;
  const upTo = (bar: number) => Math.floor((limitTokens * bar) / HISTOGRAM_STEPS);
  const bars = Array.from({ length: HISTOGRAM_STEPS }, (_, bar) => ({
    overTokens: upTo(bar),
    upToTokens: upTo(bar + 1),
    chunks: sum(sizes.subarray(bar * perBar, (bar + 1) * perBar)),
  }));
  const share = (part: number) => Math.min(largestTokens, percentile(sizes, part, limitTokens));
  return {
    limitTokens,
    smallest: counts.chunks === 0 ? 0 : smallestTokens,
    mean: counts.tokens / Math.max(1, counts.chunks),
    p50: share(0.5),
    p90: share(0.9),
    p99: share(0.99),
    largest: largestTokens,
    histogram: [...bars, { overTokens: limitTokens, upToTokens: null, chunks: sizes[SIZE_STEPS - 1]! }],
  };
}

/** The upper end of the step that holds the chunk at this share of all. */
function percentile(sizes: Float64Array, share: number, limitTokens: number): number {
  let left = sum(sizes) * share;
  const step = sizes.findIndex((chunks) => {
    left -= chunks;
    return left <= 0;
  });
  if (step === SIZE_STEPS - 1) return Number.POSITIVE_INFINITY;
  return Math.ceil((limitTokens * (step + 1)) / (SIZE_STEPS - 1));
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
