/** What a number was measured on. Printed with every result, because a number without it says nothing. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

export function machine() {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    sluice: JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version,
  };
}

export function machineLine({ cpu, cores, memoryGiB, platform, node, sluice }) {
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, sluice ${sluice}`;
}

/** Highest resident memory of this process so far. Its parent's counts in on Linux: keep parents small. */
export function peakRssMiB() {
  return process.resourceUsage().maxRSS / 1024;
}
