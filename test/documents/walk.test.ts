import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walkFolders } from '../../src/documents/walk.js';
import type { FileEntry, WalkEntry } from '../../src/documents/walk-entry.js';
import type { WalkOptions } from '../../src/documents/walk-options.js';
import { collect, folderWith } from './temporary.js';

async function walk(path: string, options: WalkOptions = {}): Promise<WalkEntry[]> {
  return collect(walkFolders([{ path, name: 'docs' }], options));
}

async function sources(path: string, options: WalkOptions = {}): Promise<string[]> {
  return (await walk(path, options)).map((entry) =>
    entry.kind === 'file' ? entry.source : `${entry.error.code} ${entry.source}`,
  );
}

describe('walkFolders', () => {
  it('yields files in the order of their names, with what is known of them', async () => {
    const folder = folderWith({ 'b.md': 'xy', 'a/z.txt': '', 'a/B.rs': 'fn', 'c.png': '', 'a.md': '' });
    const soon = Date.now() / 1000 + 3_600.0005;
    utimesSync(join(folder, 'b.md'), 5, soon);
    utimesSync(join(folder, 'a.md'), 5, 1.2345);
    const ignored: string[] = [];
    const entries = (await walk(folder, { onIgnored: (source) => ignored.push(source) })) as FileEntry[];
    expect(entries.map((entry) => entry.source)).toEqual([
      'docs/a/B.rs',
      'docs/a/z.txt',
      'docs/a.md',
      'docs/b.md',
    ]);
    expect(entries[0]).toMatchObject({ format: 'code', language: 'rust' });
    expect(entries[3]).toEqual({
      kind: 'file',
      path: join(folder, 'b.md'),
      source: 'docs/b.md',
      size: 2,
      mtimeMs: Math.trunc(soon * 1000),
      format: 'markdown',
    });
    // Its time of writing was set; that its entry was changed for that cannot be hidden.
    expect(entries[2]!.mtimeMs).toBe(Math.trunc(statSync(join(folder, 'a.md')).ctimeMs));
    expect(ignored).toEqual(['docs/c.png']);
  });

  it('gives what older roots inside cover their names, and leaves out what is walked elsewhere', async () => {
    const files = ['a.md', 'in/b.md', 'in/c.md', 'in/deep/d.md', 'other/e.md', 'inner/f.md'];
    const path = folderWith(Object.fromEntries(files.map((name) => [name, ''])));
    const folders: string[] = [];
    const root = {
      path,
      name: 'docs',
      nested: new Map([
        ['in', 'in'],
        ['in/c.md', 'c.md'],
        ['in/deep', 'deep-2'],
      ]),
      elsewhere: new Set(['other', 'a.md']),
    };
    const onFolder = (folder: { path: string; source: string }) =>
      folders.push(`${folder.source} ${folder.path.slice(path.length)}`);
    const entries = await collect(walkFolders([root], { onFolder }));
    expect(entries.map((entry) => entry.source)).toEqual([
      'in/b.md',
      'c.md',
      'deep-2/d.md',
      'docs/inner/f.md',
    ]);
    expect(folders).toEqual(['docs ', 'in /in', 'deep-2 /in/deep', 'docs/inner /inner']);
  });

  it('does not tell of folders that hold an index', async () => {
    const path = folderWith({ 'a.md': '', 'x/sluice.db': '', 'x/b.md': '', 'y/c.md': '' });
    const folders: string[] = [];
    await collect(walkFolders([{ path, name: 'd' }], { onFolder: ({ source }) => folders.push(source) }));
    expect(folders).toEqual(['d', 'd/y']);
  });

  it('keeps the order in folders larger than one run of names', async () => {
    const names = Array.from({ length: 2500 }, (_, i) => `n${(i * 7919) % 2500}.md`);
    const found = await sources(folderWith(Object.fromEntries(names.map((name) => [name, '']))));
    expect(found).toEqual(names.map((name) => `docs/${name}`).sort());
  });

  it('takes a file as a root whatever its name, ignored or not', async () => {
    const folder = folderWith({ 'notes.xyz': 'x', '.gitignore': '*', '.git/': '', 'a.md': '' });
    const entries = await collect(
      walkFolders([
        { path: join(folder, 'notes.xyz'), name: 'notes.xyz' },
        { path: join(folder, 'a.md'), name: 'a.md' },
      ]),
    );
    expect(entries).toMatchObject([
      { source: 'notes.xyz', format: 'text' },
      { source: 'a.md', format: 'markdown' },
    ]);
  });

  it('throws for a root that is not there', async () => {
    await expect(walk(join(folderWith({}), 'gone'))).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
  });

  it.skipIf(process.platform === 'win32')('does not read a device or a pipe that is named', async () => {
    const folder = folderWith({});
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    expect(await sources('/dev/zero')).toEqual(['SLUICE_FILE_UNREADABLE docs']);
    expect(await sources(join(folder, 'pipe.md'))).toEqual(['SLUICE_FILE_UNREADABLE docs']);
    expect(await sources(folder)).toEqual([]);
  });

  it('leaves out folders that hold an index', async () => {
    const folder = folderWith({
      'a.md': '',
      'idx/sluice.db': '',
      'idx/keywords/meta.json': '{}',
      'b/c.md': '',
    });
    expect(await sources(folder)).toEqual(['docs/a.md', 'docs/b/c.md']);
  });

  it('tells odd names apart and takes them literally (P7)', async () => {
    const names = [
      'a b.md',
      'a_b.md',
      'a%b.md',
      'README.md',
      'readme.md',
      '#x.md',
      '[a].md',
      "it's.md",
      '..a.md',
      '-.md',
    ];
    const unicode = ['é.md', 'e\u0301.md', '日本.md', '😀.md', 'a\u00a0b.md'];
    const folder = folderWith(Object.fromEntries([...names, ...unicode].map((name) => [name, name])));
    const found = await sources(folder, { hidden: true });
    expect(found).toEqual([...names, ...unicode].map((name) => `docs/${name}`).sort());
  });

  it('walks any names', async () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'B', ' ', '_', '%', '!', '*', '\\', '#', '?', 'é', '~', '.'),
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { maxLength: 8 }), async (stems) => {
        const names = stems.map((stem) => `x${stem}.md`);
        const folder = folderWith({
          ...Object.fromEntries(names.map((n) => [n, ''])),
          '.gitignore': 'unrelated',
        });
        expect(await sources(folder)).toEqual(names.map((n) => `docs/${n}`).sort());
      }),
      { numRuns: 30 },
    );
  });

  it('leaves out hidden names unless they are asked for, and .git always', async () => {
    const folder = folderWith({ '.h.md': '', '.d/a.md': '', '.git/a.md': '', 'a.md': '' });
    expect(await sources(folder)).toEqual(['docs/a.md']);
    expect(await sources(folder, { hidden: true })).toEqual(['docs/.d/a.md', 'docs/.h.md', 'docs/a.md']);
    expect(await sources(folder, { hidden: true, include: ['**/a.md'] })).toEqual([
      'docs/.d/a.md',
      'docs/a.md',
    ]);
  });

  it('follows include and exclude', async () => {
    const folder = folderWith({
      'a.md': '',
      'b/a.md': '',
      'b/c.conf2': 'x',
      'b/d.txt': '',
      'b/e.bin': '',
      LICENSE: '',
    });
    expect(await sources(folder, { include: ['*.md'] })).toEqual(['docs/a.md']);
    expect(await sources(folder, { include: ['**/*.md'] })).toEqual(['docs/a.md', 'docs/b/a.md']);
    expect(await sources(folder, { include: ['b/**'] })).toEqual(['docs/b/a.md', 'docs/b/d.txt']);
    expect(await sources(folder, { exclude: ['b'] })).toEqual(['docs/a.md']);
    expect(await sources(folder, { exclude: ['b/**'] })).toEqual(['docs/a.md']);
    expect(await walk(folder, { include: ['**/*.conf2', 'LICENSE', '**/*'] })).toMatchObject([
      { source: 'docs/LICENSE', format: 'text' },
      { source: 'docs/a.md' },
      { source: 'docs/b/a.md' },
      { source: 'docs/b/c.conf2', format: 'text' },
      { source: 'docs/b/d.txt' },
    ]);
  });

  it('refuses a glob that is none', async () => {
    await expect(walk(folderWith({}), { exclude: [''] })).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it('takes the extensions of given readers', async () => {
    const reader = {
      name: 'pdf',
      extensions: ['.PDF'],
      format: 'markdown' as const,
      read: () => ({ text: '' }),
    };
    expect(await walk(folderWith({ 'a.pdf': '' }), { readers: [reader] })).toMatchObject([
      { format: 'markdown' },
    ]);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const walking = walkFolders([{ path: folderWith({ 'a.md': '', 'b.md': '' }), name: 'docs' }], {
      signal: controller.signal,
    });
    await walking.next();
    controller.abort();
    await expect(walking.next()).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
  });
});

describe('walkFolders and .gitignore', () => {
  const TREE = {
    '.git/HEAD': '',
    '.gitignore': 'build/\n*.txt\n!keep.txt\n/top.md\n',
    'build/a.md': '',
    'top.md': '',
    'x.txt': '',
    'keep.txt': '',
    'sub/top.md': '',
    'sub/.gitignore': 'secret.md\n!y.txt\n',
    'sub/secret.md': '',
    'sub/y.txt': '',
    'sub/deep/secret.md': '',
    'sub/deep/z.txt': '',
  };

  it('follows nested rules and their negations', async () => {
    const folder = folderWith(TREE);
    expect(await sources(folder)).toEqual(['docs/keep.txt', 'docs/sub/top.md', 'docs/sub/y.txt']);
    expect(await sources(folder, { gitignore: false })).toHaveLength(9);
  });

  it('follows the rules of the repository around the root', async () => {
    expect(await sources(join(folderWith(TREE), 'sub/deep'))).toEqual([]);
    const { '.git/HEAD': _, ...noRepository } = TREE;
    expect(await sources(join(folderWith(noRepository), 'sub/deep'))).toEqual([
      'docs/secret.md',
      'docs/z.txt',
    ]);
  });

  it('walks an ignored folder that is named, by its own rules only', async () => {
    const folder = folderWith({
      ...TREE,
      'build/.gitignore': 'b.md',
      'build/b.md': '',
      'build/t.txt': '',
      'build/in/n.txt': '',
    });
    expect(await sources(join(folder, 'build'))).toEqual(['docs/a.md', 'docs/in/n.txt', 'docs/t.txt']);
    expect(await sources(join(folder, 'build/in'))).toEqual(['docs/n.txt']);
  });
});

describe('walkFolders and links', () => {
  it('does not leave the root (P8)', async () => {
    const outer = folderWith({ 'secret.md': 's', 'other/x.md': '', 'notes/a.md': '' });
    symlinkSync('../secret.md', join(outer, 'notes/link.md'));
    symlinkSync('../other', join(outer, 'notes/other'));
    symlinkSync(join(outer, 'notes-evil'), join(outer, 'notes/z.md'));
    expect(await sources(join(outer, 'notes'))).toEqual([
      'docs/a.md',
      'SLUICE_FILE_OUTSIDE_ROOT docs/link.md',
      'SLUICE_FILE_OUTSIDE_ROOT docs/other',
      'SLUICE_FILE_UNREADABLE docs/z.md',
    ]);
  });

  it('follows links within the root, cuts cycles, and reports dangling ones', async () => {
    const folder = folderWith({ 'a/x.md': '', 'b/y.md': '' });
    symlinkSync('../b', join(folder, 'a/to-b'));
    symlinkSync('../a', join(folder, 'b/to-a'));
    symlinkSync('.', join(folder, 'a/self'));
    symlinkSync('x.md', join(folder, 'a/alias.md'));
    symlinkSync('gone.md', join(folder, 'b/dangling.md'));
    symlinkSync('loop.md', join(folder, 'b/loop.md'));
    const found = await sources(folder);
    expect(found).toContain('docs/a/alias.md');
    expect(found).toContain('docs/a/to-b/y.md');
    expect(found).toContain('SLUICE_FILE_UNREADABLE docs/b/dangling.md');
    expect(found).toContain('SLUICE_FILE_UNREADABLE docs/b/loop.md');
    expect(found.length).toBeLessThan(20);
  });

  it('walks a root that is a link', async () => {
    const folder = folderWith({ 'real/a.md': '', 'real/.gitignore': 'b.md', 'real/b.md': '' });
    symlinkSync('real', join(folder, 'link'));
    expect(await walk(join(folder, 'link'))).toMatchObject([
      { source: 'docs/a.md', path: join(folder, 'link/a.md') },
    ]);
  });
});

describe('walkFolders and what cannot be read', () => {
  it('reports files over the limit, but never JSONL', async () => {
    const folder = folderWith({ 'a.md': '12345', 'b.jsonl': '12345', 'c.md': '1234' });
    const entries = await walk(folder, { maxFileBytes: 4 });
    expect(entries).toMatchObject([
      { kind: 'skipped', error: { code: 'SLUICE_FILE_TOO_LARGE', details: { size: 5, limit: 4 } } },
      { kind: 'file' },
      { kind: 'file' },
    ]);
  });

  it('goes on after a folder that has gone', async () => {
    const folder = folderWith({ 'a.md': '', 'b/x.md': '', 'c.md': '' });
    const walking = walkFolders([{ path: folder, name: 'docs' }]);
    await walking.next();
    rmSync(join(folder, 'b'), { recursive: true });
    const rest = await collect(walking);
    expect(rest).toMatchObject([
      {
        kind: 'skipped',
        source: 'docs/b',
        error: { code: 'SLUICE_FILE_UNREADABLE', details: { errno: 'ENOENT' } },
      },
      { kind: 'file', source: 'docs/c.md' },
    ]);
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'goes on where it may not read',
    async () => {
      const folder = folderWith({ 'a.md': '', 'b/x.md': '', 'c.md': '' });
      chmodSync(join(folder, 'a.md'), 0);
      chmodSync(join(folder, 'b'), 0);
      const found = await sources(folder);
      chmodSync(join(folder, 'b'), 0o700);
      expect(found).toEqual([
        'SLUICE_FILE_UNREADABLE docs/a.md',
        'SLUICE_FILE_UNREADABLE docs/b',
        'docs/c.md',
      ]);
    },
  );

  it.skipIf(process.platform === 'win32')('does not wait for pipes', async () => {
    const folder = folderWith({ 'a.md': '' });
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    expect(await sources(folder)).toEqual(['docs/a.md']);
  });
});
