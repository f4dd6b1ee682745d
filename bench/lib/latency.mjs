/** Latencies by stage, from the timings that ride on every result. */
import { percentile } from './stats.mjs';

/**
 * @param {{ totalMs: number, stages: { stage: string, ms: number }[] }[]} timings one a search
 * @returns {{ stage: string, count: number, p50: number, p95: number, p99: number, max: number }[]} 'total' first,
 *   then the stages in the order in which they first ran. `count` says in how many searches a stage ran: percentiles
 *   are over those.
 */
export function latencyByStage(timings) {
  const columns = new Map([['total', timings.map(({ totalMs }) => totalMs)]]);
  for (const { stages } of timings) {
    for (const { stage, ms } of stages) {
      if (!columns.has(stage)) columns.set(stage, []);
      columns.get(stage).push(ms);
    }
  }
  return [...columns].map(([stage, values]) => ({
    stage,
    count: values.length,
    p50: percentile(values, 50),
    p95: percentile(values, 95),
    p99: percentile(values, 99),
    max: percentile(values, 100),
  }));
}
