import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Cores that this process may keep busy: CPU affinity (as Node reports it), lowered by a cgroup quota, which Node
 * does not read. At least 1.
 */
export function usableCores(
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(cgroupQuota(readFile) ?? Infinity)));
}

/** CPUs of the cgroup quota (v2, then v1), or undefined where there is none. */
export function cgroupQuota(readFile: (path: string) => string): number | undefined {
  try {
    const [quota, period] = readFile('/sys/fs/cgroup/cpu.max').trim().split(/\s+/);
    if (quota === undefined || quota === 'max') return undefined;
    return Number(quota) / Number(period);
  } catch {
    // Not cgroup v2: look for v1 below.
  }
  try {
    const quota = Number(readFile('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'));
    return quota > 0 ? quota / Number(readFile('/sys/fs/cgroup/cpu/cpu.cfs_period_us')) : undefined;
  } catch {
    return undefined;
  }
}
