import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { processCpuMsOf } from '../cpu-time.js';
import { bagOfWords, type Workplace, workplace } from './support.js';

const FILES = 10_000;

/**
 * What going through unchanged files may take, in walks of the same tree that do nothing but stat; CPU time of all threads.
 * 8 were measured: half a second.
 */
const MOST_WALKS = 25;

/** What no way of finding changed files can do without. */
function walkAndStat(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walkAndStat(path);
    else statSync(path);
  }
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
  const walkMs = await processCpuMsOf(() => walkAndStat(place.path('d')));
  let again!: Awaited<ReturnType<typeof index.add>>;
  const ms = await processCpuMsOf(async () => {
    again = await index.add(place.path('d'));
  });
  expect(again).toMatchObject({ filesSeen: FILES, filesUnchanged: FILES, filesDone: 0, filesRemoved: 0 });
  expect(again).toMatchObject({ embedded: 0, chunksReused: 0, chunks: 0, generation: before.generation });
  expect(again.stageMs).toMatchObject({ read: 0, chunk: 0, embed: 0 });
  expect(embedder.passages).toBe(before.passages);
  expect(ms, `a bare walk takes ${walkMs} ms`).toBeLessThan(MOST_WALKS * walkMs);
  writeFileSync(place.path('d/7/700.txt'), 'word for 700 only');
  expect(await index.add(place.path('d'))).toMatchObject({ filesUnchanged: FILES - 1, embedded: 1 });
  await index.close();
}, 120_000);
