import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const CHILD = join(import.meta.dirname, 'long-run-child.mjs');
const RECORDS = 20_000;

interface LongRun {
  documents: number;
  rssMiB: number[];
  pieces: { ms: number; type: string }[];
  cpuClock: boolean;
}

let folder: string;
let result: LongRun;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-long-'));
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, folder, String(RECORDS)]);
  result = JSON.parse(stdout);
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a long run', () => {
  it('keeps its memory: the last fifth needs hardly more than the second', () => {
    expect(result.documents).toBe(RECORDS);
    expect(result.rssMiB).toHaveLength(5);
    // Caches and buffers fill in the beginning. 12,000 records more are 23 MiB of text and vectors a copy.
    expect(result.rssMiB[4]! - result.rssMiB[1]!).toBeLessThan(60);
  });

  it('does not hold the main thread over 5 ms, but for cold code and a stray garbage collection', () => {
    if (!result.cpuClock) return;
    const times = result.pieces.map(({ ms }) => ms);
    // Of some thousand pieces; a step that is too long shows again and again.
    expect(times.filter((ms) => ms > 5).length, JSON.stringify(result.pieces)).toBeLessThanOrEqual(2);
    expect(Math.max(...times)).toBeLessThan(15);
  });
});
