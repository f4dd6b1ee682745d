import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newIndex } from '../index-support.js';
import { folderWith, MAIN, runCommand } from './command.js';

let folder: Awaited<ReturnType<typeof folderWith>>;

const records = [
  {
    id: 'r1',
    title: 'Opening hours',
    text: 'The studio closes at nine.',
    metadata: { lang: 'en', year: 2023 },
  },
  {
    id: 'r2',
    title: 'Öffnungszeiten',
    text: 'Das Studio schließt um neun.',
    metadata: { lang: 'de', year: 2024 },
  },
  { id: 'r3', title: 'Kilns', text: 'The kiln is fired on Mondays.', metadata: { lang: 'en', year: 2024 } },
];

beforeAll(async () => {
  folder = await folderWith({
    'records.jsonl': records.map((record) => JSON.stringify(record)).join('\n'),
    'other/kiln.txt': 'the kiln door jams',
  });
  expect((await runCommand(['index', 'records.jsonl', '--json'], folder.path)).status).toBe(0);
  expect((await runCommand(['index', 'other', '--index', 'other.idx', '--json'], folder.path)).status).toBe(
    0,
  );
});

afterAll(() => folder.remove());

const run = (...args: string[]) => runCommand(args, folder.path);
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

describe('sluice list, count and facets', () => {
  it('list documents by id, and go on at a cursor', async () => {
    const { stdout, stderr } = await run('list', '-n', '2', '--metadata');
    expect(stdout).toContain('r1\tOpening hours\tjsonl, 1 chunk\n  {"lang":"en","year":2023}\n');
    const cursor = /--cursor (\S+)/.exec(stderr)![1]!;
    const page = await json('list', '--cursor', cursor);
    expect(page.documents).toMatchObject([{ id: 'r3', metadata: { lang: 'en', year: 2024 } }]);
    expect((await run('list', '--filter', '{"lang":"fr"}')).stdout).toBe('No document.\n');
  });

  it('count what passes a filter', async () => {
    expect((await run('count')).stdout).toBe('3 documents, 3 chunks\n');
    expect(await json('count', '--filter', '{"lang":"en"}')).toEqual({ documents: 2, chunks: 2 });
  });

  it('tell the most frequent values of a field', async () => {
    expect((await run('facets', 'lang')).stdout).toBe(
      '"en"\t2 documents, 2 chunks\n"de"\t1 document, 1 chunk\n',
    );
    expect(await json('facets', 'year', '-n', '1')).toEqual([{ value: 2024, documents: 2, chunks: 2 }]);
    const { status, stderr } = await run('facets', 'lnag');
    expect(stderr).toContain("did you mean 'lang'");
    expect(status).toBe(2);
  });
});

describe('sluice update and remove', () => {
  it('update by filter after a dry run that changes nothing', async () => {
    const filter = ['--filter', '{"year":2024}'];
    const dry = await run('update', ...filter, '--set', 'status=final', '--dry-run');
    expect(dry.stdout).toBe('It would be 2 documents with 2 chunks:\n  r2\n  r3\n');
    expect(
      (await run('update', ...filter, '--set', 'status=final', '--set', 'n.deep=[1,"x"]', '--unset', 'lang'))
        .stdout,
    ).toBe('Updated 2 of 2 documents.\n');
    expect((await json('show', 'r3')).metadata).toEqual({
      year: 2024,
      status: 'final',
      n: { deep: [1, 'x'] },
    });
    expect(await json('update', 'r3', '--set', 'lang="en"')).toEqual({
      documents: 1,
      updated: 1,
      unknown: [],
    });
  });

  it.each([
    [['remove'], /name documents by their ids/],
    [['remove', 'r1', '--all'], /name documents by their ids/],
    [['remove', '--filter', '{}'], /lets every document pass; .*--all/],
    [['update', 'r1'], /nothing would be changed; .*--set field=value/],
    [['remove', '--all', '--filter', '{"year":2024}'], /only one/],
    [['list', '-n', '20000'], /from 1 to 10000/],
    [['search', 'kiln', '--index', '.sluice', '--index', './.sluice'], /named twice; .*--index/],
    [['export', 'records.jsonl'], /exists; .*--force/],
    [['update', 'r1', '--set', 'x'], /--set wants field=value/],
  ])('refuse %j', async (args, message) => {
    const { status, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
    expect((await json('count')).documents).toBe(3);
  });

  it.each([['update', '--set', 'a=1'], ['remove'], ['remove', '--dry-run']])(
    'name ids that are not there, and fail where none is: %s',
    async (command, ...more) => {
      const { status, stderr } = await run(command!, 'nope', ...more);
      expect(stderr).toBe('not in the index: nope\n');
      expect(status).toBe(1);
      const some = await run('update', 'r1', 'nope', '--set', 'a=1', '--json');
      expect(JSON.parse(some.stdout)).toMatchObject({ documents: 1, unknown: ['nope'] });
      expect(some.status).toBe(0);
    },
  );

  it('remove by filter', async () => {
    expect(await json('remove', '--filter', '{"year":2023}', '--dry-run')).toEqual({
      dryRun: true,
      documents: 1,
      chunks: 1,
      ids: ['r1'],
      unknown: [],
    });
    expect(await json('remove', '--filter', '{"year":2023}')).toEqual({
      removedDocuments: 1,
      removedChunks: 1,
      unknown: [],
    });
    expect((await json('count')).documents).toBe(2);
    expect((await run('index', 'records.jsonl', '--json')).status).toBe(0);
  });
});

describe('sluice search over several indexes', () => {
  it('says which index a hit is of', async () => {
    const both = ['--index', '.sluice', '--index', 'other.idx'];
    const { hits, generations } = await json('search', 'kiln', ...both, '--no-vectors');
    expect(hits.map(({ index }: { index: string }) => index).sort()).toEqual(['.sluice', 'other.idx']);
    expect(Object.keys(generations)).toEqual(['.sluice', 'other.idx']);
    const { stdout } = await run('search', 'kiln', ...both, '--no-vectors');
    expect(stdout).toContain('other.idx: other/kiln.txt:1 ');
  });

  it('says that an index is empty, and names a hit without a title by its file', async () => {
    const { stderr } = await run('remove', '--all', '--index', 'other.idx');
    expect(stderr).toBe('');
    const found = await run('search', 'kiln', '--index', 'other.idx');
    expect(found.stdout).toBe('Nothing found.\n');
    expect(found.stderr).toMatch(/^the index is empty\n/);
    expect(found.status).toBe(0);
  });
});

describe('an index whose embedder a program brings', () => {
  it('is searched by keywords, and the command says why and what to do', async () => {
    const index = await newIndex();
    await index.add({ id: 'a', text: 'The kiln glows.' });
    await index.close();
    const { status, stdout, stderr } = await run('search', 'kiln', '--index', index.folder);
    expect(stdout).toContain('The kiln glows.');
    expect(stderr).toMatch(
      /vectors: the query could not be embedded: .*an embedder of the caller.*--no-vectors/,
    );
    expect(status).toBe(0);
    const again = await run('index', '--reembed', '--index', index.folder);
    expect(again.stderr).toMatch(/name the new one by --model/);
    expect(again.stderr).not.toContain('reembed({');
  });
});

describe('sluice index --reembed', () => {
  it('says that nothing is to do for the model that the index has', async () => {
    expect((await run('index', '--reembed', '--progress', 'none')).stdout).toBe(
      'The vectors are of all-MiniLM-L6-v2 already: nothing to re-embed.\n',
    );
    expect(await json('index', '--reembed', '--model', 'all-MiniLM-L6-v2')).toMatchObject({ changed: false });
  });

  it.each([
    [['index'], 2, /name files or folders to index/],
    [['index', '--reembed', '--watch'], 2, /--watch wants files/],
    [
      ['index', '.', '--strategy', 'window'],
      1,
      /other settings: .*leave out --model and what says how to cut/,
    ],
    [['index', '--reembed', '--index', 'nowhere'], 1, /does not exist/],
    [['index', '--reembed', '--model', './nowhere'], 1, /nowhere/],
  ])('%j fails', async (args, expected, message) => {
    const { status, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(status).toBe(expected);
  });
});

describe('output', () => {
  it('shows control characters of an id instead of sending them', async () => {
    const place = await folderWith({ 'x.jsonl': JSON.stringify({ id: 'a\u001b[31m\nb', text: 'kiln' }) });
    await runCommand(['index', 'x.jsonl'], place.path);
    const { stdout } = await runCommand(['list'], place.path);
    expect(stdout.split('\t')[0]).toBe('a\\u001b[31m\\u000ab');
    await place.remove();
  });

  it.skipIf(!existsSync('/dev/full'))('that cannot be written ends with a sentence', async () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'list'], {
      cwd: folder.path,
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^sluice: the output cannot be written: .*\[SLUICE_DISK_FULL\]\n$/);
  });
});
