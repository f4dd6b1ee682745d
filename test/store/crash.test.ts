import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { workerUrl } from '../../src/threads/worker-url.js';
import { batch, document, newFolder, newStore, passport, randomness, vectorOf } from './support.js';

const CHILD = new URL('./crash-child.mjs', import.meta.url);
const STORE = workerUrl(new URL('../../src/store/index.ts', import.meta.url).href, './index.js');
const ROUNDS = 20;

interface Child {
  process: ChildProcess;
  ready: Promise<void>;
  /** Acknowledged commits: the generation, and the document that it brought. */
  acknowledged: { generation: number; id: string }[];
  ended: Promise<unknown>;
}

function start(folder: string, round: number): Child {
  const child = spawn(
    process.execPath,
    [CHILD.pathname, STORE.href, folder, JSON.stringify(passport()), `${round}`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const acknowledged: Child['acknowledged'] = [];
  let signalReady = () => {};
  const ready = new Promise<void>((resolve) => {
    signalReady = resolve;
  });
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => {
    if (line === 'ready') return signalReady();
    const [generation, id] = line.split(' ');
    acknowledged.push({ generation: Number(generation), id: id! });
  });
  return {
    process: child,
    ready,
    acknowledged,
    ended: Promise.all([once(child, 'exit'), once(lines, 'close')]),
  };
}

async function kill(child: Child): Promise<void> {
  child.process.kill('SIGKILL');
  await child.ended;
}

describe('kill -9 while committing (S2)', () => {
  it('loses nothing that was acknowledged, and the next write works', async () => {
    const folder = newFolder();
    const next = randomness(20);
    const acknowledged: Child['acknowledged'] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const child = start(folder, round);
      await child.ready;
      await new Promise((resolve) => setTimeout(resolve, 20 + next() * 500));
      await kill(child);
      acknowledged.push(...child.acknowledged);
      const store = await openStore(folder, { graphThreshold: 30, threads: 1 });
      const reader = await store.reader();
      const last = acknowledged.at(-1)?.generation ?? 0;
      expect(reader.generation).toBeGreaterThanOrEqual(last);
      const ids = acknowledged.map(({ id }) => id);
      expect((await reader.has(ids)).every(Boolean)).toBe(true);
      const all = await reader.select(undefined);
      const found = await reader.searchKeywords('alpha', 1_000_000, all);
      expect(found.labels).toHaveLength(all.count);
      const near = await reader.searchVectors(vectorOf('q'), all.count, all);
      expect([...near.labels].sort()).toEqual([...found.labels].sort());
      const writer = await store.writer();
      await writer.commit(batch([document(`after ${round}`, [`alpha after ${round}`])]));
      await writer.publish();
      await reader.refresh();
      expect((await reader.select(undefined)).count).toBe(all.count + 1);
      await store.close();
    }
    expect(acknowledged.length).toBeGreaterThan(ROUNDS);
  }, 120_000);
});

describe('two writers', () => {
  it('are refused, by pid, until the first is gone', async () => {
    const folder = newFolder();
    const child = start(folder, 0);
    await child.ready;
    const store = await openStore(folder);
    const locked = { code: 'SLUICE_INDEX_LOCKED', details: { pid: child.process.pid } };
    await expect(store.writer()).rejects.toMatchObject(locked);
    await expect(store.writer()).rejects.toThrow(`process ${child.process.pid} is writing`);
    // A reader in between sees a whole generation.
    const reader = await store.reader();
    const all = await reader.select(undefined);
    expect((await reader.searchKeywords('alpha', 100_000, all)).labels).toHaveLength(all.count);
    await kill(child);
    const writer = await store.writer();
    await writer.commit(batch([document('mine', ['alpha mine'])]));
    await writer.publish();
    await reader.refresh();
    expect(await reader.has(['mine'])).toEqual([true]);
    await store.close();
  });

  it('are refused in one process too', async () => {
    const store = await newStore();
    const writer = await store.writer();
    await expect(store.writer()).rejects.toThrow(/this process is writing/);
    await writer.close();
    await writer.close();
    await expect(writer.commit(batch([]))).rejects.toMatchObject({ code: 'SLUICE_INDEX_CLOSED' });
    await (await store.writer()).close();
  });
});
