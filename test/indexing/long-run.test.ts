import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const CHILD = join(import.meta.dirname, 'long-run-child.mjs');
const RECORDS = 14_000;
const WORDS = 300;
/** Many documents to a commit: that is where the main thread has most to do. */
const SHORT_RECORDS = 15_000;
const SHORT_WORDS = 40;
/** Of 'word1234 ': what keeping a record's text takes at the least. */
const TEXT_BYTES = WORDS * 8;
/** Until the keyword index is written for the first time, after 20,000 chunks, buffers and caches fill. */
const FULL_AT = 8_000;
const WINDOW = 1_000;

interface LongRun {
  documents: number;
  chunks: number;
  memory: [documents: number, MiB: number][];
  pieces: { ms: number; type: string }[];
  cpuClock: boolean;
}

async function longRun(records: number, words: number): Promise<LongRun> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-long-'));
  try {
    const args = [CHILD, folder, String(records), String(words)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Median, in MiB. */
function heldBetween({ memory }: LongRun, from: number, to: number): number {
  const held = memory.filter(([documents]) => documents >= from && documents <= to);
  expect(held.length).toBeGreaterThan(3);
  const sorted = held.map(([, mib]) => mib).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

describe('a long run', () => {
  it.skipIf(process.platform !== 'linux')(
    'keeps its memory: a record more takes less than its text',
    // On a busy machine garbage is collected late; what is really kept is kept each time.
    { retry: 2 },
    async () => {
      const result = await longRun(RECORDS, WORDS);
      expect(result.documents).toBe(RECORDS);
      // Enough for the buffers to have been filled before the first window.
      expect(result.chunks / RECORDS).toBeGreaterThan(20_000 / FULL_AT);
      const [early, late] = [FULL_AT, RECORDS - WINDOW].map((from) =>
        heldBetween(result, from, from + WINDOW),
      );
      const bytesARecord = ((late! - early!) * 2 ** 20) / (RECORDS - WINDOW - FULL_AT);
      // Texts that are kept were seen to take 1.6 times their length, and a run that keeps none 0.2 times of it at most.
      expect(bytesARecord, JSON.stringify(result.memory)).toBeLessThan(0.75 * TEXT_BYTES);
    },
  );

  it('does not hold the main thread over 5 ms, but for cold code and a stray garbage collection', async () => {
    const result = await longRun(SHORT_RECORDS, SHORT_WORDS);
    if (!result.cpuClock) return;
    const times = result.pieces.map(({ ms }) => ms);
    // Of some thousand pieces; a step that is too long shows again and again.
    expect(times.filter((ms) => ms > 5).length, JSON.stringify(result.pieces)).toBeLessThanOrEqual(2);
    expect(Math.max(...times)).toBeLessThan(15);
  });
});
