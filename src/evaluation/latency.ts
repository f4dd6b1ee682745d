/** Milliseconds a query, wall clock. */
export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly meanMs: number;
  readonly maxMs: number;
}

export function summariseLatency(times: readonly number[]): Latency {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    meanMs: sorted.length === 0 ? 0 : sorted.reduce((sum, time) => sum + time, 0) / sorted.length,
    maxMs: sorted.at(-1) ?? 0,
  };
}

/** Nearest rank: the least value that at least this share of all values doesn't exceed; 0 for no values. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
