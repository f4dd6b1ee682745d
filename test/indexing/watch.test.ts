import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { AddRun, SluiceIndex, WatchOptions, WatchRun } from '../../src/index.js';
import { bagOfWords, type CountingEmbedder, type Workplace, workplace } from './support.js';

let place: Workplace;
let index: SluiceIndex;
let embedder: CountingEmbedder;
let runs: AsyncGenerator<WatchRun, void, undefined>;

async function start(files: Record<string, string>, names = ['d'], options: WatchOptions<AddRun> = {}) {
  place = await workplace(files);
  embedder = bagOfWords({ failsAt: 'poison' });
  index = await place.open(embedder);
  runs = index.watch(
    names.map((name) => place.path(name)),
    { debounceMs: 60, ...options },
  );
  return (await runs.next()).value as WatchRun;
}

afterEach(async () => {
  await index.close();
  await place.remove();
});

/** Runs until the index holds these documents and no others; fails by the test's own limit. */
async function until(ids: Record<string, string>): Promise<void> {
  for (;;) {
    const held = await Promise.all(
      Object.keys(ids).map(async (id) => (await index.get(id))?.text === ids[id]),
    );
    const { documents } = await index.stats();
    if (held.every(Boolean) && documents === Object.keys(ids).length) return;
    await runs.next();
  }
}

describe('watching a folder', () => {
  it('sees what is new, edited, saved by a rename, moved and removed, files and folders', async () => {
    const first = await start({ 'd/a.md': 'oak' });
    expect(first).toMatchObject({ error: null, report: { documents: 1 } });
    await place.write('d/b.md', 'elm');
    await until({ 'd/a.md': 'oak', 'd/b.md': 'elm' });
    await place.write('d/a.md', 'oak and ash');
    await until({ 'd/a.md': 'oak and ash', 'd/b.md': 'elm' });
    for (const text of ['fir', 'yew', 'box']) {
      await place.write('d/.b.md.swp', text);
      await rename(place.path('d/.b.md.swp'), place.path('d/b.md'));
      await until({ 'd/a.md': 'oak and ash', 'd/b.md': text });
    }
    await place.write('d/new/deep/c.md', 'larch');
    await until({ 'd/a.md': 'oak and ash', 'd/b.md': 'box', 'd/new/deep/c.md': 'larch' });
    await place.write('d/new/deep/c.md', 'larch again');
    await until({ 'd/a.md': 'oak and ash', 'd/b.md': 'box', 'd/new/deep/c.md': 'larch again' });
    const before = embedder.passages;
    await rename(place.path('d/new'), place.path('d/old'));
    await rename(place.path('d/a.md'), place.path('d/old/a.md'));
    await until({ 'd/old/a.md': 'oak and ash', 'd/b.md': 'box', 'd/old/deep/c.md': 'larch again' });
    expect(embedder.passages).toBe(before);
    await place.write('d/old/deep/c.md', 'in the moved folder');
    await until({ 'd/old/a.md': 'oak and ash', 'd/b.md': 'box', 'd/old/deep/c.md': 'in the moved folder' });
    await rm(place.path('d/old'), { recursive: true });
    await until({ 'd/b.md': 'box' });
    await place.write('d/.gitignore', 'nothing');
    await mkdir(place.path('d/.git'));
    await place.write('d/.gitignore', 'b.md');
    await until({});
  }, 60_000);

  it('makes a few runs of very many events, and misses none', async () => {
    await start({ 'd/a.md': 'oak' });
    const ids: Record<string, string> = { 'd/a.md': 'oak' };
    for (let i = 0; i < 2_000; i++) {
      const name = `d/f${i % 40}/${i}.md`;
      if (i < 40) await mkdir(place.path(`d/f${i}`));
      await writeFile(place.path(name), `text ${i}`);
      ids[name] = `text ${i}`;
    }
    let made = 0;
    while ((await index.stats()).documents < 2_001) {
      expect((await runs.next()).value).toMatchObject({ error: null });
      made++;
    }
    expect(made).toBeLessThan(30);
    await until(ids);
  }, 90_000);

  it('goes on when a root vanishes and comes back, also by another folder in its place', async () => {
    await start({ 'd/a.md': 'oak', 'd/sub/b.md': 'elm', 'e/c.md': 'ash' }, ['d', 'e']);
    await rename(place.path('d'), place.path('away'));
    await until({ 'e/c.md': 'ash' });
    await place.write('e/c.md', 'fir');
    await until({ 'e/c.md': 'fir' });
    await rename(place.path('away'), place.path('d'));
    await until({ 'd/a.md': 'oak', 'd/sub/b.md': 'elm', 'e/c.md': 'fir' });
    await place.write('d/sub/b.md', 'yew');
    await until({ 'd/a.md': 'oak', 'd/sub/b.md': 'yew', 'e/c.md': 'fir' });
    await place.write('other/sub/b.md', 'box');
    await rename(place.path('d'), place.path('away'));
    await rename(place.path('other'), place.path('d'));
    await until({ 'd/sub/b.md': 'box', 'e/c.md': 'fir' });
    await place.write('d/sub/b.md', 'larch');
    await until({ 'd/sub/b.md': 'larch', 'e/c.md': 'fir' });
  }, 60_000);

  it('sees a folder around its root go and come, and a link that leads elsewhere', async () => {
    await start({ 'up/one/a.md': 'oak', 'up/two/b.md': 'elm' }, ['up/one']);
    await rename(place.path('up'), place.path('gone'));
    await until({});
    await rename(place.path('gone'), place.path('up'));
    await until({ 'one/a.md': 'oak' });
    await place.write('up/one/a.md', 'ash');
    await until({ 'one/a.md': 'ash' });
    await runs.return();
    await symlink(place.path('up/one'), place.path('now'));
    runs = index.watch(place.path('now'), { debounceMs: 60 });
    await runs.next();
    await rm(place.path('now'));
    await symlink(place.path('up/two'), place.path('now'));
    await until({ 'one/a.md': 'ash', 'two/b.md': 'elm' });
    await place.write('up/two/b.md', 'fir');
    await until({ 'one/a.md': 'ash', 'two/b.md': 'fir' });
  }, 60_000);

  it('watches a single file, and not its neighbours', async () => {
    await start({ 'd/a.md': 'oak', 'd/b.md': 'elm' }, ['d/a.md']);
    await place.write('d/tmp', 'ash');
    await rename(place.path('d/tmp'), place.path('d/a.md'));
    await until({ 'a.md': 'ash' });
    await place.write('d/a.md', 'fir');
    await until({ 'a.md': 'fir' });
    await place.write('d/b.md', 'yew');
    const quiet = new Promise((resolve) => setTimeout(resolve, 400, 'quiet'));
    expect(await Promise.race([runs.next(), quiet])).toBe('quiet');
  }, 30_000);
});

describe('a run that fails', () => {
  it('is told, and the next change tries again', async () => {
    await start({ 'd/a.md': 'oak' });
    await place.write('d/a.md', 'poison');
    const failed = (await runs.next()).value as WatchRun;
    expect(failed.report).toMatchObject({ skipped: 1, filesFailed: 1 });
    expect((await index.get('d/a.md'))?.text).toBe('oak');
    await place.write('d/a.md', 'ash');
    await until({ 'd/a.md': 'ash' });
  }, 30_000);

  it('begins with an empty folder, and ends at once with a path that is wrong', async () => {
    expect(await start({ 'd/.keep': '' })).toMatchObject({
      report: null,
      error: { code: 'SLUICE_NO_DOCUMENTS' },
    });
    await place.write('d/a.md', 'oak');
    await until({ 'd/a.md': 'oak' });
    const wrong = index.watch(place.path('nowhere'));
    await expect(wrong.next()).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    for (const [paths, options] of [
      [[], {}],
      [[5], {}],
      ['d', { debounceMs: -1 }],
      ['d', { debounce: 5 }],
      ['d', { hidden: 5 }],
      ['d', { onFolder: () => {} }],
      ['d', null],
    ]) {
      const misused = index.watch(paths as never, options as never);
      await expect(misused.next()).rejects.toMatchObject({
        code: 'SLUICE_USAGE',
        message: expect.stringMatching(/^(the options of )?watch/),
      });
    }
  }, 30_000);
});

describe('watching ends', () => {
  it('by its signal while it waits, by leaving the loop, and when the index is closed', async () => {
    const controller = new AbortController();
    await start({ 'd/a.md': 'oak' }, ['d'], { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await runs.next()).toEqual({ value: undefined, done: true });
    for await (const { report } of index.watch(place.path('d'))) {
      expect(report).toMatchObject({ filesUnchanged: 1 });
      break;
    }
    const last = index.watch(place.path('d'));
    await last.next();
    setTimeout(() => void index.close(), 50);
    expect(await last.next()).toEqual({ value: undefined, done: true });
  }, 30_000);
});
