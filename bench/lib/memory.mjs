/** Resident memory over a run: whether it grows with the corpus shows in its quarters, not in its peak. */
import { readFileSync } from 'node:fs';

/**
 * Anonymous resident memory of this process: what it holds itself, without mapped files, which the system may take
 * back. Where the system does not tell (anywhere but Linux), all resident memory.
 */
export function rssAnonBytes() {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
}

/** Samples until stopped; then gives the RSS in MiB at the end of each quarter of the run. */
export function watchMemory(everyMs = 100, read = () => process.memoryUsage.rss()) {
  const samples = [read()];
  const timer = setInterval(() => samples.push(read()), everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    samples.push(read());
    return quarters(samples).map((bytes) => bytes / 2 ** 20);
  };
}

export function quarters(samples) {
  return [0.25, 0.5, 0.75, 1].map((share) => samples[Math.round(share * (samples.length - 1))]);
}
