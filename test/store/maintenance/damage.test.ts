import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { workerUrl } from '../../../src/threads/worker-url.js';
import { newFolder } from '../support.js';
import { change, filledFolder } from './fixture.js';

const CHILD = fileURLToPath(new URL('./damage-child.mjs', import.meta.url));
const DIST = new URL('./', workerUrl(new URL('../../../src/index.ts', import.meta.url).href, './index.js'));
const SEED = Number(process.env.SLUICE_SEED ?? 1);
/** SLUICE_LONG=n makes n times as many rounds. */
const TIMES = Math.max(1, Number(process.env.SLUICE_LONG ?? 1));

interface Round {
  round: number;
  name: string;
  how: string;
  right: boolean[];
  codes: (string | null)[];
  findings?: { answer?: number; code?: string; message?: string };
  /** Whether the database says what it said before. */
  same?: boolean;
}

let sound: string;

beforeAll(async () => {
  sound = await filledFolder();
  // What was last written goes into the file that is damaged.
  change(sound, 'SELECT 1');
});

async function rounds(kind: string, count: number): Promise<Round[]> {
  const copy = join(newFolder(), 'sound');
  cpSync(sound, copy, { recursive: true });
  const args = [CHILD, DIST.href, copy, newFolder(), kind, `${SEED}`, `${count * TIMES}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    out += data;
  });
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    err += data;
  });
  const [status, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...ended) => resolve(ended)),
  );
  const lines = out.trimEnd().split('\n');
  expect({
    status,
    signal,
    last: lines.at(-1),
    err: status === 0 ? '' : err.slice(-2_000),
    before: lines.at(-2),
  }).toMatchObject({ status: 0, signal: null, last: 'end' });
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

it('a damaged keyword index gives right answers or an error that names the file, never a crash', async () => {
  for (const { right, codes, ...round } of await rounds('reader', 300)) {
    const fits =
      right[0] || /^SLUICE_(INDEX_CORRUPT|INDEX_VERSION|NOT_FOUND): .*keyword/.test(codes[0] ?? '');
    expect(fits, JSON.stringify({ ...round, codes })).toBe(true);
  }
}, 1_200_000);

it('a damaged keyword index is built anew by whoever may write', async () => {
  for (const { right, codes, ...round } of await rounds('keywords', 10)) {
    const [readonly, writing] = codes;
    expect(right[1], JSON.stringify({ ...round, writing })).toBe(true);
    const fits = right[0] || /^SLUICE_INDEX_CORRUPT: /.test(readonly ?? '');
    expect(fits, JSON.stringify({ ...round, readonly })).toBe(true);
  }
}, 1_200_000);

it('a damaged database gives errors with our code, and what it answers wrongly is found by verify', async () => {
  for (const { right, codes, findings, same, ...round } of await rounds('database', 15)) {
    const told = JSON.stringify({ ...round, codes, findings, same });
    const refused = /^SLUICE_(INDEX_VERSION|NOT_AN_INDEX)$/.test(findings?.code ?? '');
    expect(findings?.code === undefined || refused, told).toBe(true);
    if (codes[0] != null) {
      const known = /^SLUICE_(INDEX_CORRUPT|INDEX_VERSION|NOT_AN_INDEX|SNAPSHOT_GONE|FILTER_UNKNOWN_FIELD): /;
      expect(codes[0], told).toMatch(known);
    }
    if ((!right[0] || !same) && !refused) expect(findings?.answer ?? 0, told).toBeGreaterThan(0);
  }
}, 1_200_000);
