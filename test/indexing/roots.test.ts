import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { SluiceIndex } from '../../src/index.js';
import { bagOfWords, type Workplace, workplace } from './support.js';

let place: Workplace;
let index: SluiceIndex;

async function start(files: Record<string, string>): Promise<void> {
  place = await workplace(files);
  index = await place.open(bagOfWords());
}

afterEach(async () => {
  await index.close();
  await place.remove();
});

const add = (...names: string[]) => index.add(names.map((name) => place.path(name)));

/** Sources of all documents that hold the word `tree`, as every document here does. */
async function sources(): Promise<string[]> {
  const { hits } = await index.search('tree', { k: 100, legs: { vectors: false }, collapse: 'none' });
  return hits.map(({ source }) => source).sort();
}

describe('roots that overlap', () => {
  const files = { 'docs/a.md': 'tree a', 'docs/sub/b.md': 'tree b', 'docs/sub/deep/c.md': 'tree c' };

  it('keep the names of the outer one where that came first', async () => {
    await start(files);
    await add('docs');
    expect(await add('docs/sub')).toMatchObject({ filesSeen: 2, filesUnchanged: 2, filesRemoved: 0 });
    expect(await sources()).toEqual(['docs/a.md', 'docs/sub/b.md', 'docs/sub/deep/c.md']);
    await rm(place.path('docs/sub/b.md'));
    expect(await add('docs/sub')).toMatchObject({ filesUnchanged: 1, filesRemoved: 1 });
    expect(await add('docs')).toMatchObject({ filesUnchanged: 2, filesRemoved: 0 });
    await rm(place.path('docs/sub'), { recursive: true });
    expect(await add('docs/sub')).toMatchObject({ filesRemoved: 1 });
    expect(await sources()).toEqual(['docs/a.md']);
  });

  it('keep the names of the inner one where that came first', async () => {
    await start(files);
    await add('docs/sub/deep', 'docs/sub');
    expect(await add('docs')).toMatchObject({ filesSeen: 3, filesUnchanged: 2, documents: 1 });
    expect(await sources()).toEqual(['deep/c.md', 'docs/a.md', 'sub/b.md']);
    await rm(place.path('docs/sub/deep/c.md'));
    await place.write('docs/sub/.gitignore', 'b.md');
    await mkdir(place.path('docs/.git'));
    expect(await add('docs')).toMatchObject({ filesUnchanged: 1, filesRemoved: 2 });
    expect(await sources()).toEqual(['docs/a.md']);
    await rm(place.path('docs/sub/.gitignore'));
    await add('docs');
    expect(await sources()).toEqual(['docs/a.md', 'sub/b.md']);
    await rm(place.path('docs'), { recursive: true });
    expect(await add('docs')).toMatchObject({ filesRemoved: 2 });
    expect(await sources()).toEqual([]);
  });

  it('are walked once where both are named in one run', async () => {
    await start(files);
    const report = await add('docs', 'docs/sub', 'docs', 'docs/a.md');
    expect(report).toMatchObject({ filesSeen: 3, documents: 3, skipped: 0 });
    expect(await add('docs/sub/deep', 'docs')).toMatchObject({
      filesSeen: 3,
      filesUnchanged: 3,
      filesRemoved: 0,
    });
    expect(await sources()).toEqual(['docs/a.md', 'docs/sub/b.md', 'docs/sub/deep/c.md']);
  });

  it('leave an inner root alone that the walk of the outer one does not come to', async () => {
    await start({ ...files, 'docs/.notes/n.md': 'tree n' });
    await add('docs/.notes');
    await add('docs');
    expect(await sources()).toContain('.notes/n.md');
    await rm(place.path('docs/.notes/n.md'));
    expect(await add('docs')).toMatchObject({ filesRemoved: 1 });
    expect(await sources()).toEqual(['docs/a.md', 'docs/sub/b.md', 'docs/sub/deep/c.md']);
  });
});

describe('a file that is named by itself', () => {
  it('belongs to the folder that was there first, and the other way round', async () => {
    await start({ 'docs/a.md': 'tree a', 'docs/b.md': 'tree b' });
    await add('docs/b.md');
    await add('docs');
    expect(await add('docs/a.md')).toMatchObject({ filesSeen: 1, filesUnchanged: 1 });
    expect(await sources()).toEqual(['b.md', 'docs/a.md']);
    await rm(place.path('docs/b.md'));
    expect(await add('docs')).toMatchObject({ filesUnchanged: 1, filesRemoved: 1 });
    await rm(place.path('docs/a.md'));
    expect(await add('docs/a.md')).toMatchObject({ filesRemoved: 1 });
    expect(await sources()).toEqual([]);
  });
});

describe('one root, however it is written', () => {
  it('through links, dots, slashes and from the current folder', async () => {
    await start({ 'real/docs/a.md': 'tree a' });
    await symlink(place.path('real'), place.path('link'));
    await symlink(place.path('real/docs'), place.path('other'));
    await add('real/docs');
    const here = process.cwd();
    process.chdir(place.path('real'));
    try {
      for (const written of [
        `${place.path('real/docs')}/`,
        place.path('real/../real/./docs'),
        place.path('link/docs'),
        place.path('link/docs/a.md'),
        place.path('other'),
        'docs',
        './docs/',
        '../link/docs',
      ]) {
        expect(await index.add(written), written).toMatchObject({ filesUnchanged: 1, filesRemoved: 0 });
      }
    } finally {
      process.chdir(here);
    }
    await rm(place.path('real/docs'), { recursive: true });
    expect(await add('link/docs')).toMatchObject({ filesRemoved: 1 });
    expect(await sources()).toEqual([]);
  });

  it('leaves no root behind for a path that was never there', async () => {
    await start({ 'docs/a.md': 'tree a', 'x/docs/b.md': 'tree b' });
    await expect(Promise.resolve(add('y/docs'))).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    await add('docs');
    expect(await sources()).toEqual(['docs/a.md']);
  });
});

describe('names that are nearly the same', () => {
  it('stay two documents, and the second run changes nothing', async () => {
    const names = ['a b.md', 'a_b.md', 'a%b.md', 'README.md', 'readme.md', 'a%.md', 'A_b.md'];
    await start(Object.fromEntries(names.map((name) => [`docs/${name}`, `tree ${name}`])));
    expect(await add('docs')).toMatchObject({ documents: names.length, skipped: 0 });
    expect(await add('docs')).toMatchObject({ filesUnchanged: names.length, documents: 0, filesRemoved: 0 });
    await rm(place.path('docs/a_b.md'));
    await rename(place.path('docs/README.md'), place.path('docs/ReadMe.md'));
    expect(await add('docs')).toMatchObject({ filesRemoved: 2, documents: 1 });
    const left = names.filter((name) => name !== 'a_b.md' && name !== 'README.md');
    expect(await sources()).toEqual([...left, 'ReadMe.md'].map((name) => `docs/${name}`).sort());
  });
});

describe('any sequence of changes and runs over roots that overlap', () => {
  const FILES = ['t/a.md', 't/u/b.md', 't/u/c.md', 't/u/v/d.md'];
  const ROOTS = ['t', 't/u', 't/u/v', 't/u/b.md'];
  const step = fc.oneof(
    fc.record({ write: fc.constantFrom(...FILES), text: fc.constantFrom('tree x', 'tree y') }),
    fc.record({ remove: fc.constantFrom(...FILES) }),
    fc.record({ add: fc.uniqueArray(fc.constantFrom(...ROOTS), { minLength: 1, maxLength: 3 }) }),
  );

  it('ends with each file once after all roots ran, and with nothing that is gone', async () => {
    await start({});
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        await rm(place.path('t'), { recursive: true, force: true });
        const there = new Map<string, string>();
        const put = async (name: string, text: string) => {
          await place.write(name, text);
          there.set(name, text);
        };
        for (const one of steps) {
          if ('write' in one) await put(one.write, one.text);
          else if ('remove' in one) {
            await rm(place.path(one.remove), { force: true });
            there.delete(one.remove);
          } else {
            await Promise.resolve(add(...one.add)).catch((error) => {
              expect(['SLUICE_NOT_FOUND', 'SLUICE_NO_DOCUMENTS']).toContain(error.code);
            });
          }
        }
        await put('t/a.md', 'tree z');
        await add('t');
        const found = await sources();
        expect(found.map((source) => source.slice(source.lastIndexOf('/') + 1))).toEqual(
          [...there.keys()].map((name) => name.slice(name.lastIndexOf('/') + 1)).sort(),
        );
        for (const source of found) {
          const [name] = [...there.keys()].filter((file) => file.endsWith(source.split('/').at(-1)!));
          expect((await index.get(source))?.text).toBe(there.get(name!));
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe('a path that was a folder and is a file, or the other way round', () => {
  it.each([
    ['as a root', ['w.md', 'w.md']],
    ['inside a root', ['docs', 'docs/w.md']],
    ['inside a root that is walked again', ['docs', 'docs']],
  ])('keeps nothing of what it was, %s', async (_, [first, again]) => {
    const w = first === 'docs' ? 'docs/w.md' : 'w.md';
    await start({ [`${w}/z.md`]: 'tree z', 'docs/other.md': 'tree other' });
    const others = first === 'docs' ? ['docs/other.md'] : [];
    await add(first!);
    expect(await sources()).toEqual([...others, `${w}/z.md`]);
    await rm(place.path(w), { recursive: true });
    await place.write(w, 'tree w');
    expect(await add(again!)).toMatchObject({ filesRemoved: 1, documents: 1 });
    expect(await sources()).toEqual([...others, w]);
    await rm(place.path(w));
    await place.write(`${w}/z.md`, 'tree z');
    expect(await add(again!)).toMatchObject({ filesRemoved: 1, documents: 1 });
    expect(await sources()).toEqual([...others, `${w}/z.md`]);
  });
});
