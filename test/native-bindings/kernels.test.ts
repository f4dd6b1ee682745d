/** Every distance kernel that this CPU can run gives the same distances as plain arithmetic. */

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { native } from './support.js';

const ADDON = createRequire(import.meta.url).resolve('../../native-bindings/index.cjs');
/** Around the widths of the registers, and those of real models. */
const DIMS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 384, 768];

const SCRIPT = `
const addon = require(${JSON.stringify(ADDON)});
const dims = ${JSON.stringify(DIMS)};
(async () => {
  const results = [];
  for (const n of dims) {
    const a = Float32Array.from({ length: n }, (_, i) => Math.sin(i * 1.7 + 1));
    const b = Float32Array.from({ length: n }, (_, i) => Math.cos(i * 0.9 - 2));
    for (const metric of ['ip', 'l2']) {
      const vectors = addon.FlatVectors.create(n, metric, 'float32');
      vectors.append(Uint32Array.of(1), b);
      results.push((await vectors.search(a, 1, 1, null)).scores[0]);
    }
  }
  console.log(JSON.stringify({ kernel: addon.cpu().kernel, results }));
})();
`;

function plain(): number[] {
  return DIMS.flatMap((n) => {
    let dot = 0;
    let squared = 0;
    for (let i = 0; i < n; i++) {
      const a = Math.fround(Math.sin(i * 1.7 + 1));
      const b = Math.fround(Math.cos(i * 0.9 - 2));
      dot += a * b;
      squared += (a - b) ** 2;
    }
    return [dot, -squared];
  });
}

describe('distance kernels', () => {
  const best = native.cpu().kernel;
  const runnable = ['scalar', ...(best === 'avx512' ? ['avx2'] : []), ...(best === 'scalar' ? [] : [best])];

  it.each(runnable)('%s agrees with plain arithmetic', (kernel) => {
    const output = execFileSync(process.execPath, ['-e', SCRIPT], {
      env: { ...process.env, SLUICE_KERNEL: kernel },
      encoding: 'utf8',
    });
    const found = JSON.parse(output) as { kernel: string; results: number[] };
    expect(found.kernel).toBe(kernel);
    const expected = plain();
    found.results.forEach((score, i) => {
      expect(Math.abs(score - expected[i]!)).toBeLessThan(1e-4 * (1 + Math.abs(expected[i]!)));
    });
  });

  it('measures CPU time of a thread, not the time that passes', async () => {
    const before = native.threadCpuMs();
    if (before === null) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(native.threadCpuMs()! - before).toBeLessThan(80);
  });
});
