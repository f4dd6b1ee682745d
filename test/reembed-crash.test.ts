import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { callerEmbedder } from '../src/embedding/index.js';
import { openIndex } from '../src/open-index.js';
import type { SluiceIndex } from '../src/sluice-index.js';
import { newFolder } from './index-support.js';
import { randomness } from './store/support.js';

type Name = 'first' | 'second';

const CHILD = fileURLToPath(new URL('./reembed-child.mjs', import.meta.url));
const { MODELS, toyVector } = await import(new URL('./toy-vectors.mjs', import.meta.url).href);
const DOCUMENTS = 1_500;

const model = (name: Name) =>
  callerEmbedder({
    model: name,
    dims: MODELS[name],
    windowTokens: 256,
    embed: (texts) => texts.map((text) => toyVector(name, text, MODELS[name])),
  });

/** Re-embeds in a process of its own that is killed when `deadly` says so. Returns what it said. */
async function killed(folder: string, deadly: (line: string) => number | undefined): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, folder, 'first', 'second'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const said: string[] = [];
  let doomed = false;
  lines.on('line', async (line) => {
    said.push(line);
    const delay = doomed ? undefined : deadly(line);
    if (delay === undefined) return;
    doomed = true;
    await sleep(delay);
    child.kill('SIGKILL');
  });
  await Promise.all([once(child, 'exit'), once(lines, 'close')]);
  return said;
}

/** Which model the index has; every text is found by the vector that this model gives it. */
async function checked(folder: string): Promise<Name> {
  const bare = await openIndex(folder, { readonly: true, reranker: false });
  const name = bare.passport.embedder.model as Name;
  await bare.close();
  const index: SluiceIndex = await openIndex(folder, { reranker: false, model: model(name), threads: 1 });
  expect(await index.count()).toEqual({ documents: DOCUMENTS, chunks: DOCUMENTS });
  for (const n of [0, 17, DOCUMENTS - 1]) {
    const { hits } = await index.search(`T\nKiln ${n} glows.`, { k: 1, legs: { keywords: false } });
    expect(hits[0]).toMatchObject({ documentId: `d${n}`, scores: { vectors: { rank: 1 } } });
    expect(hits[0]!.scores.vectors!.cosine).toBeCloseTo(1, 4);
  }
  await index.close();
  return name;
}

const left = (line: string) => (line.startsWith('left ') ? Number(line.slice(5)) : Number.NaN);

describe('kill -9 while re-embedding', () => {
  it('leaves the old vectors or the new ones, whole, and the next run goes on', async () => {
    const folder = newFolder();
    const index = await openIndex(folder, { reranker: false, model: model('first'), threads: 1 });
    await index.add(
      Array.from({ length: DOCUMENTS }, (_, n) => ({ id: `d${n}`, title: 'T', text: `Kiln ${n} glows.` })),
    );
    await index.close();
    // In the middle: some are done, and stay done.
    await killed(folder, (line) => (left(line) < 800 ? 0 : undefined));
    expect(await checked(folder)).toBe('first');
    const next = randomness(5);
    let name: Name = 'first';
    for (let round = 0; round < 8 && name === 'first'; round++) {
      // Anywhere between the last vectors, the swap and the end.
      const delay = Math.floor(next() * 120);
      const said = await killed(folder, (line) => (left(line) < 130 ? delay : undefined));
      expect(Math.max(...said.map(left).filter(Number.isFinite))).toBeLessThan(800);
      name = await checked(folder);
      if (said.some((line) => line.startsWith('done'))) expect(name).toBe('second');
    }
    if (name === 'first') await killed(folder, () => undefined);
    expect(await checked(folder)).toBe('second');
  });

  it('has the new ones when it is killed as soon as the call has returned', async () => {
    const folder = newFolder();
    const index = await openIndex(folder, { reranker: false, model: model('first'), threads: 1 });
    await index.add(
      Array.from({ length: DOCUMENTS }, (_, n) => ({ id: `d${n}`, title: 'T', text: `Kiln ${n} glows.` })),
    );
    await index.close();
    const said = await killed(folder, (line) => (line.startsWith('done') ? 0 : undefined));
    expect(said).toContain(`done ${DOCUMENTS}`);
    expect(await checked(folder)).toBe('second');
  });
});
