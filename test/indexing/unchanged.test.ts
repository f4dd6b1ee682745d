import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { bagOfWords, type Workplace, workplace } from './support.js';

const FILES = 10_000;

/** What going through unchanged files may take, in walks of the same tree that do nothing but stat. */
const MOST_WALKS = 25;
const LEAST_MS = 2_000;

/** What no way of finding changed files can do without. */
function walkAndStat(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walkAndStat(path);
    else statSync(path);
  }
}

function timed(run: () => void): number {
  const from = performance.now();
  run();
  return performance.now() - from;
}

let place: Workplace;
afterEach(() => place.remove());

it('ten thousand files that did not change cost a stat each: nothing is read, embedded or committed', async () => {
  place = await workplace();
  for (let i = 0; i < FILES; i++) {
    if (i % 100 === 0) mkdirSync(place.path(`d/${i / 100}`), { recursive: true });
    writeFileSync(place.path(`d/${Math.floor(i / 100)}/${i}.txt`), `word${i % 97} and ${i}`);
  }
  const embedder = bagOfWords();
  const index = await place.open(embedder);
  expect(await index.add(place.path('d'))).toMatchObject({ documents: FILES, filesDone: FILES });
  const before = { passages: embedder.passages, ...(await index.stats()) };
  const walkedMs = timed(() => walkAndStat(place.path('d')));
  const from = performance.now();
  const again = await index.add(place.path('d'));
  const ms = performance.now() - from;
  expect(again).toMatchObject({ filesSeen: FILES, filesUnchanged: FILES, filesDone: 0, filesRemoved: 0 });
  expect(again).toMatchObject({ embedded: 0, chunksReused: 0, chunks: 0, generation: before.generation });
  expect(again.stageMs).toMatchObject({ read: 0, chunk: 0, embed: 0 });
  expect(embedder.passages).toBe(before.passages);
  // Seconds say more about the machine than about us. Measured: 6 times a bare walk that blocks.
  console.log(ms, walkedMs);
  expect(ms, `the bare walk took ${walkedMs} ms`).toBeLessThan(Math.max(MOST_WALKS * walkedMs, LEAST_MS));
  writeFileSync(place.path('d/7/700.txt'), 'word for 700 only');
  expect(await index.add(place.path('d'))).toMatchObject({ filesUnchanged: FILES - 1, embedded: 1 });
  await index.close();
}, 120_000);
