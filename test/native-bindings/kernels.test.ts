/** Every distance kernel that this CPU can run gives the same distances as plain arithmetic. */

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { native, similarity } from './support.js';

const ADDON = createRequire(import.meta.url).resolve('../../native-bindings/index.cjs');
/** Around the widths of the registers, and those of real models. */
const DIMS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 384, 768];

const SCALES = [1, 1e-30, 1e15];

const SCRIPT = `
const addon = require(${JSON.stringify(ADDON)});
const dims = ${JSON.stringify(DIMS)};
(async () => {
  const floats = [];
  const bytes = [];
  const score = async (a, b, metric, precision) => {
    const vectors = addon.FlatVectors.create(a.length, metric, precision);
    vectors.append(Uint32Array.of(1, 2), Float32Array.from([...b, ...new Float32Array(b.length)]));
    const { labels, scores } = await vectors.search(a, 2, 1, null);
    return [scores[labels.indexOf(1)], scores[labels.indexOf(2)]];
  };
  for (const n of dims) {
    for (const scale of ${JSON.stringify(SCALES)}) {
      const a = Float32Array.from({ length: n }, (_, i) => Math.sin(i * 1.7 + 1) * scale);
      const b = Float32Array.from({ length: n }, (_, i) => Math.cos(i * 0.9 - 2) * scale);
      for (const metric of ['ip', 'l2', 'cosine']) {
        if (scale === 1) floats.push((await score(a, b, metric, 'float32'))[0]);
        bytes.push(...(await score(a, b, metric, 'int8')));
      }
    }
  }
  const { kernel } = addon.cpu();
  console.log(JSON.stringify({ kernel, floats, bytes }));
})();
`;

const numbers = (n: number, scale: number): [Float32Array, Float32Array] => [
  Float32Array.from({ length: n }, (_, i) => Math.sin(i * 1.7 + 1) * scale),
  Float32Array.from({ length: n }, (_, i) => Math.cos(i * 0.9 - 2) * scale),
];

interface Found {
  kernel: string;
  floats: number[];
  bytes: number[];
}

function run(kernel: string): Found {
  const output = execFileSync(process.execPath, ['-e', SCRIPT], {
    env: { ...process.env, SLUICE_KERNEL: kernel },
    encoding: 'utf8',
  });
  return JSON.parse(output) as Found;
}

describe('distance kernels', () => {
  const found = new Map(native.kernelNames().map((kernel) => [kernel, run(kernel)]));

  it.each(native.kernelNames())('%s agrees with plain arithmetic', (kernel) => {
    const { floats, kernel: used } = found.get(kernel)!;
    expect(used).toBe(kernel);
    const expected = DIMS.flatMap((n) => {
      const [a, b] = numbers(n, 1);
      return (['ip', 'l2', 'cosine'] as const).map((metric) => similarity(a, b, metric));
    });
    expect(floats).toHaveLength(expected.length);
    floats.forEach((score, i) => {
      expect(Math.abs(score - expected[i]!)).toBeLessThan(1e-4 * (1 + Math.abs(expected[i]!)));
    });
  });

  it.each(native.kernelNames())(
    '%s gives the same int8 scores as the plain loop, to the last bit',
    (kernel) => {
      expect(found.get(kernel)!.bytes).toEqual(found.get('scalar')!.bytes);
    },
  );

  it('take the best one where the environment names none that runs here', () => {
    expect(run('no such kernel').kernel).toBe(native.kernelNames()[0]);
  });

  it('quantised scores are near the true ones, whatever the length of the vectors', () => {
    const { bytes } = found.get('scalar')!;
    let at = 0;
    for (const n of DIMS) {
      for (const scale of SCALES) {
        const [a, b] = numbers(n, scale);
        const squares = a.reduce((sum, x) => sum + x * x, 0);
        for (const metric of ['ip', 'l2', 'cosine'] as const) {
          const [score, zero] = [bytes[at]!, bytes[at + 1]!];
          at += 2;
          const size = metric === 'cosine' ? 1 : squares;
          // What is below the smallest float is 0 in both.
          const slack = size * 0.03 + 1e-37;
          expect(Math.abs(score - similarity(a, b, metric))).toBeLessThan(slack);
          expect(Math.abs(zero - (metric === 'l2' ? -squares : 0))).toBeLessThan(slack);
        }
      }
    }
    expect(at).toBe(bytes.length);
  });

  it('measures CPU time of a thread, not the time that passes', async () => {
    const before = native.threadCpuMs();
    if (before === null) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(native.threadCpuMs()! - before).toBeLessThan(80);
  });
});
