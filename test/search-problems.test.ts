import { execFile } from 'node:child_process';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { searchIndexes } from '../src/search-indexes.js';
import { newFolder, newIndex } from './index-support.js';

const documents = Array.from({ length: 40 }, (_, i) => ({ id: `d${i}`, text: `kiln number ${i} glows` }));

/** An index whose graph, or whose keyword index, was cut after it was closed. */
async function damaged(part: 'graph' | 'keywords', ending: string): Promise<string> {
  const folder = join(newFolder(), 'index');
  const index = await newIndex({ graphThreshold: 20 }, folder);
  await index.add(documents);
  expect((await index.search('kiln')).problems).toEqual([]);
  await index.close();
  const names = readdirSync(join(folder, part)).filter((name) => name.endsWith(ending));
  for (const name of names) truncateSync(join(folder, part, name), 40);
  return folder;
}

describe('what is wrong with an index', () => {
  it('is told with each answer: a graph that is left aside', async () => {
    const folder = await damaged('graph', '.graph');
    const index = await newIndex({ readonly: true }, folder);
    const { hits, problems } = await index.search('kiln number 7', { k: 3 });
    expect(hits).toHaveLength(3);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('.graph');
    expect((await index.stats()).problems).toEqual(problems);
    const other = await newIndex();
    await other.add({ id: 'x', text: 'kiln' });
    const joined = await searchIndexes({ sound: other, cut: index }, 'kiln');
    expect(joined.problems).toEqual([`cut: ${problems[0]}`]);
  });

  it('is told on stderr by the command, beside the answer', async () => {
    const folder = await damaged('graph', '.graph');
    const main = join(import.meta.dirname, '../dist/cli/main.js');
    const args = [main, 'search', 'kiln', '--no-vectors', '--index', folder];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toContain('kiln number');
    expect(stderr).toMatch(/^problem: .*\.graph/m);
    const { stdout: json } = await promisify(execFile)(process.execPath, [...args, '--json']);
    expect(JSON.parse(json).problems[0]).toContain('.graph');
  });

  it('is told until something newer is published: keywords that were built anew', async () => {
    const folder = await damaged('keywords', '.idx');
    const index = await newIndex({ graphThreshold: 20 }, folder);
    const { problems } = await index.search('kiln');
    expect(problems[0]).toMatch(/^the keyword index was built anew at generation \d+: /);
    await index.add({ id: 'new', text: 'another kiln' });
    expect((await index.search('kiln')).problems).toEqual([]);
    expect((await index.stats()).problems).toEqual(problems);
  });
});
