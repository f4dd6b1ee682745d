import type { ContextCounts } from '../model/context-line.js';

export function noContextCounts(): ContextCounts {
  return { made: 0, cached: 0, extracted: 0, missing: 0, tokensIn: 0, tokensOut: 0 };
}

export function addContextCounts(sum: ContextCounts, counts: ContextCounts): void {
  for (const [name, value] of Object.entries(counts)) sum[name as keyof ContextCounts] += value;
}
