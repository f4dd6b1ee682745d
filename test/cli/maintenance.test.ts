import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMAT_VERSION } from '../../src/store/format.js';
import { folderWith, runCommand } from './command.js';

let folder: Awaited<ReturnType<typeof folderWith>>;

beforeAll(async () => {
  folder = await folderWith({
    'docs/a.md': '# Kiln\n\nThe kiln reaches cone ten.\n',
    'docs/b.md': '# Hours\n\nClosed on Sundays.\n',
  });
  expect((await runCommand(['index', 'docs', '--json'], folder.path)).status).toBe(0);
});

afterAll(() => folder.remove());

async function json(...args: string[]) {
  const { status, stdout } = await runCommand([...args, '--json'], folder.path);
  return { status, ...JSON.parse(stdout) };
}

describe('care of an index from the command line', () => {
  it('verify says that nothing is damaged', async () => {
    expect(await json('verify')).toMatchObject({ status: 0, ok: true, findings: [] });
    const { stdout } = await runCommand(['verify'], folder.path);
    expect(stdout).toMatch(
      /^Nothing is damaged: 2 document versions, 2 chunks, 2 vectors, \d+ keyword files/,
    );
  });

  it('export, import, backup and compact give indexes that answer the same', async () => {
    expect(await json('compact')).toMatchObject({ status: 0, erased: true });
    const question = (index: string) => json('search', 'when is it closed?', '--index', index);
    const { hits } = await question('.sluice');
    expect(hits[0].documentId).toBe('docs/b.md');
    for (const name of ['x.jsonl', 'x.parquet']) {
      expect(await json('export', name)).toMatchObject({ status: 0, documents: 2, chunks: 2 });
      expect(await json('export', name)).toMatchObject({ status: 2, error: { code: 'SLUICE_USAGE' } });
      expect(await json('import', name, '--index', `of-${name}`)).toMatchObject({ status: 0, documents: 2 });
      expect((await question(`of-${name}`)).hits).toEqual(hits);
      // Indexing goes on where the export was made.
      expect(await json('index', 'docs', '--index', `of-${name}`)).toMatchObject({
        filesUnchanged: 2,
        documents: 0,
      });
    }
    expect(await json('backup', 'copy')).toMatchObject({ status: 0 });
    expect((await question('copy')).hits).toEqual(hits);
    expect(await json('backup', 'docs')).toMatchObject({ status: 2, error: { code: 'SLUICE_USAGE' } });
    expect(readdirSync(folder.path).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('export writes what passes a filter, and the rest comes with the next indexing', async () => {
    const filter = ['--filter', '{"$source":{"prefix":"docs/a"}}'];
    expect(await json('export', 'a.jsonl', ...filter)).toMatchObject({ status: 0, documents: 1, chunks: 1 });
    expect(await json('import', 'a.jsonl', '--index', 'of-a')).toMatchObject({ status: 0, documents: 1 });
    expect((await json('list', '--index', 'of-a')).documents).toMatchObject([{ id: 'docs/a.md' }]);
    expect(await json('index', 'docs', '--index', 'of-a')).toMatchObject({ filesUnchanged: 1, documents: 1 });
    expect(await json('export', 'b.jsonl', '--filter', '{"langauge":"en"}')).toMatchObject({
      status: 2,
      error: { code: 'SLUICE_FILTER_UNKNOWN_FIELD' },
    });
    expect(existsSync(join(folder.path, 'b.jsonl'))).toBe(false);
  });

  it('verify lists what is damaged, and repair makes it good', async () => {
    const file = readdirSync(join(folder.path, 'copy', 'keywords')).find((name) => name.endsWith('.idx'))!;
    truncateSync(join(folder.path, 'copy', 'keywords', file), 5);
    const { status, stdout } = await runCommand(['verify', '--index', 'copy'], folder.path);
    expect(status).toBe(4);
    expect(stdout).toContain(file);
    expect(await json('verify', '--index', 'copy')).toMatchObject({ status: 4, ok: false });
    expect(await json('repair', '--index', 'copy')).toMatchObject({
      status: 0,
      ok: true,
      rebuilt: ['keywords'],
    });
    expect(await json('verify', '--index', 'copy')).toMatchObject({ status: 0, ok: true });
    expect((await runCommand(['repair', '--index', 'copy'], folder.path)).stdout).toBe(
      'Nothing is damaged.\n',
    );
  });

  it('repair names damaged documents, and removes them when it is told to', async () => {
    const database = join(folder.path, 'copy', 'sluice.db');
    const bytes = readFileSync(database);
    const at = bytes.lastIndexOf('The kiln reaches');
    bytes.write('Tha', at);
    writeFileSync(database, bytes);
    const named = await runCommand(['repair', '--index', 'copy'], folder.path);
    expect(named.status).toBe(4);
    expect(named.stdout).toMatch(/document 'docs\/a\.md'.*checksum/);
    expect(named.stdout).toContain('--drop-damaged');
    const dropped = await json('repair', '--index', 'copy', '--drop-damaged');
    expect(dropped).toMatchObject({
      status: 0,
      ok: true,
      dropped: [{ id: 'docs/a.md', source: 'docs/a.md' }],
    });
    expect(await json('index', 'docs', '--index', 'copy')).toMatchObject({ status: 0, documents: 1 });
    expect(await json('verify', '--index', 'copy')).toMatchObject({ ok: true, checked: { documents: 2 } });
  });

  it('migrate leaves an index of this release alone', async () => {
    expect(await json('migrate')).toMatchObject({ status: 0, from: FORMAT_VERSION, to: FORMAT_VERSION });
    expect(await json('migrate', '--index', 'docs')).toMatchObject({ status: 1 });
  });

  it('damaged imports and wrong words are told', async () => {
    writeFileSync(
      join(folder.path, 'half.jsonl'),
      readFileSync(join(folder.path, 'x.jsonl')).subarray(0, -90),
    );
    expect(await json('import', 'half.jsonl', '--index', 'half')).toMatchObject({
      status: 1,
      error: { code: 'SLUICE_EXPORT_INVALID' },
    });
    expect(existsSync(join(folder.path, 'half'))).toBe(false);
    expect(await json('export', 'y.jsonl', '--vectors', 'no')).toMatchObject({ status: 2 });
    expect(await json('import')).toMatchObject({ status: 2 });
  });

  it('repair of a database that is none ends with the status of damage, and says what is left to do', async () => {
    expect(await json('backup', 'lost')).toMatchObject({ status: 0 });
    writeFileSync(join(folder.path, 'lost', 'sluice.db'), 'no database'.repeat(10_000));
    expect((await runCommand(['verify', '--index', 'lost'], folder.path)).stdout).toMatch(
      /1 finding:.*\nNothing can be repaired: restore a backup/,
    );
    expect(await json('repair', '--index', 'lost')).toMatchObject({
      status: 4,
      error: { code: 'SLUICE_INDEX_CORRUPT' },
    });
  });
});
