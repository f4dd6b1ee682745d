import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith, runCommand } from './command.js';

const PNG = new Uint8Array([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
]);

let folder: Awaited<ReturnType<typeof folderWith>>;

afterEach(() => folder.remove());

async function failing(files: Record<string, string | Uint8Array>, args: string[]) {
  folder = await folderWith(files);
  const { status, stdout } = await runCommand([...args, '--json'], folder.path);
  return { status, error: JSON.parse(stdout).error };
}

describe('bad input', () => {
  it('says that an empty folder holds nothing to index', async () => {
    folder = await folderWith({ 'docs/.keep': '' });
    const { status, stdout } = await runCommand(['index', 'docs', '--json'], folder.path);
    expect(status).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'SLUICE_NO_DOCUMENTS' });
  });

  it('says whether no reader or no pattern fits the files that are there', async () => {
    const files = { 'docs/a.md': 'Text.', 'docs/b.png': 'picture' };
    const unfit = await failing(files, ['index', 'docs', '--include', '../*.md']);
    expect(unfit.error.message).toContain('no include pattern fits any of 2 files');
    await folder.remove();
    const unread = await failing({ 'docs/b.png': 'picture' }, ['audit', 'docs']);
    expect(unread.error.message).toContain('no reader knows the format of 1 file;');
  });

  it('names the path that does not exist', async () => {
    const { status, error } = await failing({}, ['index', 'nowhere']);
    expect(status).toBe(1);
    expect(error.code).toBe('SLUICE_NOT_FOUND');
    expect(error.message).toContain('nowhere');
    expect(existsSync(join(folder.path, '.sluice'))).toBe(false);
  });

  it('refuses an empty path', async () => {
    const { status, error } = await failing({}, ['index', '']);
    expect(status).toBe(2);
    expect(error.code).toBe('SLUICE_USAGE');
  });

  it('skips, counts and lists bad files among good ones', async () => {
    folder = await folderWith({
      'docs/a.md': '# A\n\nThe first good file.',
      'docs/b.md': PNG,
      'docs/c.md': '  \n',
      'docs/d.jsonl':
        '{"id":"d1","text":"a good record"}\n{"id":"d2"}\nnot json\n{"id":"d1","text":"same id"}\n',
      'docs/z.md': '# Z\n\nThe last good file.',
    });
    await symlink('/nowhere/at/all.md', join(folder.path, 'docs/dangling.md'));
    await writeFile(join(folder.path, 'secret.md'), 'outside');
    await symlink('../secret.md', join(folder.path, 'docs/leak.md'));
    const { status, stdout } = await runCommand(['index', 'docs', '--json'], folder.path);
    expect(status).toBe(3);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ filesSeen: 7, filesDone: 3, filesFailed: 4, documents: 3, skipped: 7 });
    expect(
      Object.fromEntries(
        report.skippedItems.map((item: { source: string; error: { code: string } }) => [
          item.source,
          item.error.code,
        ]),
      ),
    ).toEqual({
      'docs/b.md': 'SLUICE_FILE_BINARY',
      'docs/c.md': 'SLUICE_DOCUMENT_EMPTY',
      'docs/d.jsonl:2': 'SLUICE_RECORD_INVALID',
      'docs/d.jsonl:3': 'SLUICE_RECORD_INVALID',
      'docs/d.jsonl (id d1)': 'SLUICE_DUPLICATE_ID',
      'docs/dangling.md': 'SLUICE_FILE_UNREADABLE',
      'docs/leak.md': 'SLUICE_FILE_OUTSIDE_ROOT',
    });
    const people = await runCommand(['index', 'docs'], folder.path);
    expect(people.stdout).toContain('docs/b.md');
  });

  it('takes a failed file again once it is mended', async () => {
    folder = await folderWith({ 'docs/a.md': '# A\n\ngood', 'docs/b.md': PNG });
    expect((await runCommand(['index', 'docs'], folder.path)).status).toBe(3);
    const stats = JSON.parse((await runCommand(['stats', '--json'], folder.path)).stdout);
    expect(stats.failedSources).toMatchObject([
      { source: 'docs/b.md', error: { code: 'SLUICE_FILE_BINARY' } },
    ]);
    await writeFile(join(folder.path, 'docs/b.md'), '# B\n\nmended');
    const { status, stdout } = await runCommand(['index', 'docs', '--json'], folder.path);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ filesUnchanged: 1, filesDone: 1, documents: 1 });
  });

  it('refuses a folder that is not an index, and leaves it as it was', async () => {
    const { status, error } = await failing({ 'docs/a.md': 'text', 'photos/cat.jpg': 'x' }, [
      'index',
      'docs',
      '-i',
      'photos',
    ]);
    expect(status).toBe(1);
    expect(error.code).toBe('SLUICE_NOT_AN_INDEX');
    expect(error.message).toContain('photos');
  });

  it('says that there is no index yet, and how to make one', async () => {
    const { status, error } = await failing({}, ['search', 'anything']);
    expect(status).toBe(1);
    expect(error.code).toBe('SLUICE_NOT_FOUND');
    expect(error.message).toContain('index some documents');
  });

  it('refuses another chunking and another model than the index was made with, and names the field', async () => {
    folder = await folderWith({ 'docs/a.md': '# A\n\nSome text.' });
    await runCommand(['index', 'docs', '--limit', '100'], folder.path);
    const chunking = await runCommand(['index', 'docs', '--limit', '50', '--json'], folder.path);
    expect(chunking.status).toBe(1);
    expect(JSON.parse(chunking.stdout).error).toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
      details: { fields: [{ field: 'chunker' }] },
    });
    // Without the option the index's own chunking is used.
    expect((await runCommand(['index', 'docs'], folder.path)).status).toBe(0);
    const model = await runCommand(['index', 'docs', '--model', 'reranker-v0', '--json'], folder.path);
    expect(JSON.parse(model.stdout).error.code).toBe('SLUICE_MODEL_INVALID');
  });
});
