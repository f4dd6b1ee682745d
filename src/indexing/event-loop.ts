import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { EventLoopDelay } from './report.js';

const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/** Watches how late timers of this thread fire while a run goes on. */
export function watchEventLoop(): { delay(): EventLoopDelay; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // The histogram holds intervals between timers: an idle loop shows the resolution itself.
  const over = (ns: number) => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
  return {
    delay: () => ({
      p99Ms: histogram.count === 0 ? 0 : over(histogram.percentile(99)),
      maxMs: histogram.count === 0 ? 0 : over(histogram.max),
      resolutionMs: RESOLUTION_MS,
    }),
    stop: () => void histogram.disable(),
  };
}
