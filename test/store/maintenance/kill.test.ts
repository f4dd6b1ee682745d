import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { backupIndex, compactIndex, importIndex, verifyIndex } from '../../../src/store/index.js';
import { workerUrl } from '../../../src/threads/worker-url.js';
import { newFolder, randomness } from '../support.js';
import { answersOf, filledFolder, liveIds } from './fixture.js';

const CHILD = fileURLToPath(new URL('./care-child.mjs', import.meta.url));
const DIST = new URL('./', workerUrl(new URL('../../../src/index.ts', import.meta.url).href, './index.js'));
const ROUNDS = 4 * Math.max(1, Number(process.env.SLUICE_LONG ?? 1));
const OPTIONS = { graphThreshold: 20 };

async function runAndKill(args: string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [CHILD, DIST.href, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout!, 'data');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await ended;
}

it('kill -9 while compacting leaves the last commit', async () => {
  const folder = await filledFolder();
  const ids = liveIds(folder);
  const next = randomness(3);
  for (let round = 0; round < ROUNDS; round++) {
    await runAndKill([folder, 'compact', newFolder()], next() * 900);
    const { findings } = await verifyIndex(folder);
    // A graph may have been replaced half; the truth and the keywords never are.
    expect(findings.filter(({ part }) => part !== 'graph')).toEqual([]);
    expect((await answersOf(folder)).found['words number7']).toHaveLength(2);
    expect(liveIds(folder)).toEqual(ids);
  }
  await compactIndex(folder, OPTIONS);
  expect(await verifyIndex(folder)).toMatchObject({ ok: true });
});

it.each(['backup', 'import'])('kill -9 in a %s leaves no half index under its name', async (what) => {
  const folder = await filledFolder();
  const next = randomness(4);
  for (let round = 0; round < ROUNDS; round++) {
    const place = newFolder();
    await runAndKill([folder, what, place], next() * 1_500);
    const made = readdirSync(place).filter((name) => /^made-\d+$/.test(name));
    for (const name of made) expect(await verifyIndex(join(place, name))).toMatchObject({ ok: true });
    const again = join(place, `made-${made.length}`);
    if (what === 'backup') await backupIndex(folder, again, OPTIONS);
    else await importIndex(join(place, 'x.jsonl'), again, OPTIONS);
    expect(readdirSync(place).filter((name) => name.includes('unfinished'))).toEqual([]);
    expect(liveIds(again)).toEqual(liveIds(folder));
  }
});
