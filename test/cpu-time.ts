import { addon } from '../src/native/addon.js';

/**
 * CPU time of this thread in milliseconds: what other processes do on the same cores does not show in it. Time that
 * passes, where the system has no such clock.
 */
export function cpuMs(): number {
  return addon().threadCpuMs() ?? performance.now();
}

/** Of this thread, during a call. */
export function cpuMsOf(call: () => unknown): number {
  const before = cpuMs();
  call();
  return cpuMs() - before;
}

/** Of all threads of this process, until a call has settled. */
export async function processCpuMsOf(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
