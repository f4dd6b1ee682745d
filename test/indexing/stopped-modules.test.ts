import { afterEach, describe, expect, it } from 'vitest';
import { auditFolder } from '../../src/audit-folder.js';
import type { OpenIndexOptions, SluiceIndex } from '../../src/index.js';
import { newIndex } from '../index-support.js';
import { type Workplace, workplace } from './support.js';

const CHUNKER = 'test/fixtures/modules/hostile-chunker.mjs';
const READER = 'test/fixtures/modules/hostile-reader.mjs';
/** What each word comes to. */
const DEEDS = {
  LOOP: 'did not come back within',
  NEVER: 'did not come back within',
  EXIT: 'worker exited with code: 3',
  CALLBACK: 'in a callback',
  LATE: 'too late',
  UNAWAITED: 'nobody waited',
} as const;
type Deed = keyof typeof DEEDS;
const ALL = Object.keys(DEEDS) as Deed[];

let place: Workplace;
let index: SluiceIndex | undefined;
afterEach(async () => {
  await index?.close();
  index = undefined;
  await place.remove();
});

async function open(options: OpenIndexOptions): Promise<SluiceIndex> {
  index = await newIndex({ moduleTimeoutMs: 1_000, ...options });
  return index;
}

const stopped = (module: string, item: string, what: string) =>
  expect.objectContaining({
    code: 'SLUICE_MODULE_STOPPED',
    message: expect.stringMatching(new RegExp(`${module} failed on ${item}: .*${what}`)),
    details: expect.objectContaining({ source: item, module: expect.stringContaining(module) }),
  });

async function documentIds(of: SluiceIndex): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of of.scan()) ids.push(id);
  return ids.sort();
}

describe.each([
  ['chunker', { chunker: CHUNKER }, 'hostile-chunker.mjs'],
  ['reader', { readers: [READER] }, 'hostile-reader.mjs'],
] as const)('a %s module', (_, options, module) => {
  it.each(ALL)(
    'that does this takes down its own file only: %s',
    async (deed) => {
      place = await workplace({
        'docs/a.txt': 'good a',
        'docs/b.txt': 'good b',
        'docs/c.txt': deed,
        'docs/d.txt': 'good d',
        'docs/e.md': 'good e',
      });
      await open(options as OpenIndexOptions);
      const report = await index!.add(place.path('docs'));
      expect(report).toMatchObject({ documents: 4, skipped: 1, filesDone: 4, filesFailed: 1 });
      expect(report.skippedItems).toEqual([
        { source: 'docs/c.txt', error: stopped(module, 'docs/c.txt', DEEDS[deed]) },
      ]);
      expect(await documentIds(index!)).toEqual(['docs/a.txt', 'docs/b.txt', 'docs/d.txt', 'docs/e.md']);
      // The pool lives on, and only what failed is tried again.
      await place.write('docs/c.txt', 'good at last');
      expect(await index!.add(place.path('docs'))).toMatchObject({ documents: 1, filesUnchanged: 4 });
    },
    60_000,
  );
});

describe('modules that stop', () => {
  it('are all found out in one portion', async () => {
    place = await workplace({
      ...Object.fromEntries(ALL.map((deed) => [`docs/${deed}.txt`, deed])),
      ...Object.fromEntries(ALL.map((deed) => [`docs/${deed}-good.txt`, 'good'])),
    });
    await open({ chunker: CHUNKER });
    const report = await index!.add(place.path('docs'));
    expect(report).toMatchObject({ filesDone: ALL.length, filesFailed: ALL.length });
    expect(report.skippedItems.map(({ source }) => source).sort()).toEqual(
      ALL.map((deed) => `docs/${deed}.txt`).sort(),
    );
    expect(Object.keys(report.skippedByCode)).toEqual(['SLUICE_MODULE_STOPPED']);
  }, 60_000);

  it('cost a JSONL file one record, named by its line', async () => {
    const lines = Array.from({ length: 600 }, (_, i) => JSON.stringify({ id: `r${i}`, text: `record ${i}` }));
    lines[300] = JSON.stringify({ id: 'bad', text: 'EXIT' });
    lines[301] = '';
    place = await workplace({ 'docs/a.jsonl': `${lines.join('\n')}\n` });
    await open({ chunker: CHUNKER });
    const report = await index!.add(place.path('docs'));
    expect(report).toMatchObject({ documents: 598, skipped: 1, filesSeen: 1 });
    expect(report.skippedItems).toEqual([
      {
        source: 'docs/a.jsonl:301',
        file: 'docs/a.jsonl',
        error: stopped('hostile-chunker.mjs', 'docs/a.jsonl:301', 'code: 3'),
      },
    ]);
    expect(new Set(await documentIds(index!)).size).toBe(598);
  }, 60_000);

  it('cost given documents one of them, long ones too', async () => {
    place = await workplace();
    await open({ chunker: CHUNKER });
    const long = 'a long text. '.repeat(30_000);
    const report = await index!.add([
      { id: 'a', text: long },
      { id: 'b', text: `${long}LOOP` },
      { id: 'c', text: 'good' },
    ]);
    expect(report).toMatchObject({ documents: 2, skipped: 1 });
    expect(report.skippedItems).toEqual([
      { source: 'b', error: stopped('hostile-chunker.mjs', 'b', 'did not come back within 1000 ms') },
    ]);
    expect((await index!.get('a'))?.text).toBe(long);
  }, 60_000);

  it('do not hold up an abort', async () => {
    place = await workplace({ 'docs/a.txt': 'good', 'docs/b.txt': 'LOOP' });
    await open({ chunker: CHUNKER, moduleTimeoutMs: 600_000 });
    const controller = new AbortController();
    const run = index!.add(place.path('docs'), { signal: controller.signal });
    setTimeout(() => controller.abort(), 1_500);
    await expect(run).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    // Nor the next run, nor closing.
    await place.write('docs/b.txt', 'good at last');
    expect(await index!.add(place.path('docs'))).toMatchObject({ documents: 2 });
  }, 30_000);

  it('do not hold up closing', async () => {
    place = await workplace({ 'docs/b.txt': 'LOOP' });
    await open({ chunker: CHUNKER, moduleTimeoutMs: 600_000 });
    const run = Promise.resolve(index!.add(place.path('docs')));
    run.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await index!.close();
    await Promise.allSettled([run]);
  }, 20_000);

  it('are reported where they do so while they are loaded', async () => {
    place = await workplace({
      'loop.mjs': 'for (;;);',
      'never.mjs': 'await new Promise(() => {});',
      'exit.mjs': 'process.exit(4);',
    });
    for (const [name, what] of [
      ['loop', 'did not come back within 500 ms'],
      ['never', 'did not come back within 500 ms'],
      ['exit', 'worker exited with code: 4'],
    ]) {
      await expect(
        newIndex({ chunker: place.path(`${name}.mjs`), moduleTimeoutMs: 500 }),
      ).rejects.toMatchObject({
        code: 'SLUICE_MODULE_STOPPED',
        message: expect.stringMatching(new RegExp(`${name}.mjs failed while it was loaded: .*${what}`)),
      });
    }
  }, 60_000);

  it('end an audit where they do so while they are loaded, instead of costing every file', async () => {
    place = await workplace({ 'docs/a.txt': 'a', 'docs/b.txt': 'b', 'exit.mjs': 'process.exit(4);' });
    await expect(auditFolder(place.path('docs'), { chunker: place.path('exit.mjs') })).rejects.toMatchObject({
      code: 'SLUICE_MODULE_STOPPED',
      message: expect.stringContaining('exit.mjs failed while it was loaded: worker exited with code: 4'),
    });
  }, 30_000);

  it('are found out by an audit, too', async () => {
    place = await workplace({
      'docs/a.txt': 'good',
      'docs/b.txt': 'EXIT',
      'docs/c.txt': 'LOOP',
      'docs/d.txt': 'good',
    });
    const report = await auditFolder(place.path('docs'), { chunker: CHUNKER, moduleTimeoutMs: 1_000 });
    expect(report).toMatchObject({ documents: 2, filesDone: 2, filesFailed: 2, skipped: 2 });
    expect(report.sizes.limitTokens).toBeGreaterThan(0);
    expect(report.skippedItems.map(({ error }) => error)).toEqual([
      stopped('hostile-chunker.mjs', 'docs/b.txt', 'code: 3'),
      stopped('hostile-chunker.mjs', 'docs/c.txt', 'did not come back'),
    ]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1_500);
    const stuck = auditFolder(place.path('docs'), {
      chunker: CHUNKER,
      moduleTimeoutMs: 600_000,
      signal: controller.signal,
    });
    await expect(stuck).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
  }, 60_000);

  it('may take as long as they like in sum', async () => {
    place = await workplace(
      Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`docs/${i}.txt`, `text ${i}`])),
    );
    await place.write(
      'slow.mjs',
      `export default ({ columns }) => ({
        fingerprint: 'slow-1',
        async chunk(document) {
          await new Promise((resolve) => setTimeout(resolve, 300));
          return columns(document, [{ start: 0, end: document.text.length }]);
        },
      });`,
    );
    await open({ chunker: place.path('slow.mjs'), moduleTimeoutMs: 1_200 });
    expect(await index!.add(place.path('docs'))).toMatchObject({ documents: 6, skipped: 0 });
  }, 60_000);
});
