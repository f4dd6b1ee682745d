import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { searchIndexes } from '../src/search-indexes.js';
import type { SluiceIndex } from '../src/sluice-index.js';
import { newFolder, newIndex } from './index-support.js';

/** Two sections that each make one parent; of each, one sentence is about kilns. */
const SECTIONS = ['Firing', 'Repairs'].map((name) =>
  [
    `# ${name}`,
    ...Array.from({ length: 12 }, (_, i) => `Sentence ${i} of ${name} fills the room between other things.`),
    `The kiln is in the chapter ${name}.`,
    ...Array.from({ length: 12 }, (_, i) => `Line ${i} behind it in ${name} ends what there is to say.`),
  ].join('\n\n'),
);
const TEXT = SECTIONS.join('\n\n');
const CHUNKING = { strategy: 'parent-child', limitTokens: 40, overlapTokens: 0, parentTokens: 600 } as const;

let index: SluiceIndex;

beforeAll(async () => {
  index = await newIndex({ chunking: CHUNKING });
  await index.add([{ id: 'guide.md', text: TEXT, format: 'markdown', metadata: { lang: 'en' } }]);
});

describe('an index of parents and children', () => {
  it('may be cut by a module of the caller that says so', async () => {
    const whole = 'Of kilns.\nIt cools for two days.\nAnd glazes.';
    const answers = async (chunker: string) => {
      const own = await newIndex({ chunker });
      await own.add([{ id: 'a.txt', text: whole }]);
      const { hits } = await own.search('cools', { legs: { vectors: false } });
      await own.close();
      return hits.map(({ text, child }) => ({ text, child: child?.text }));
    };
    const folder = newFolder();
    const module = resolve('test/fixtures/modules/lines-chunker.mjs');
    const path = join(folder, 'parents.mjs');
    await mkdir(folder, { recursive: true });
    await writeFile(
      path,
      `import lines from ${JSON.stringify(pathToFileURL(module).href)};
      export default (context) => ({ ...lines(context), fingerprint: 'parents-1', parents: true });`,
    );
    expect(await answers(path)).toEqual([{ text: whole, child: 'It cools for two days.' }]);
    expect(await answers(module)).toEqual([{ text: 'It cools for two days.', child: undefined }]);
  }, 60_000);

  it('finds children and answers with their parents, each once', async () => {
    expect((await index.count()).chunks).toBeGreaterThan(8);
    const { hits } = await index.search('kiln', { k: 5, filter: { lang: 'en' } });
    expect(hits).toHaveLength(2);
    for (const { text, start, end, startLine, endLine, child } of hits) {
      expect(text).toBe(TEXT.slice(start, end));
      const section = SECTIONS.find((one) => one.includes(child!.text))!;
      expect(text.trim()).toBe(section);
      expect(child!.text).toBe(TEXT.slice(child!.start, child!.end));
      expect(startLine).toBe(1 + TEXT.slice(0, start).split('\n').length - 1);
      expect(endLine).toBe(TEXT.slice(0, end).trimEnd().split('\n').length);
    }
    expect(hits[0]!.child!.text).toContain('kiln');
  });

  it('answers inside the filter alone', async () => {
    const mixed = await newIndex({ chunking: CHUNKING });
    await mixed.add(
      Array.from({ length: 6 }, (_, i) => ({
        id: `guide-${i}.md`,
        text: TEXT,
        format: 'markdown' as const,
        metadata: { team: i % 3 },
      })),
    );
    for (const team of [0, 1, 2]) {
      const { hits, trace } = await mixed.search('kiln', { k: 50, filter: { team }, explain: true });
      expect(hits.length).toBe(4);
      expect(hits.every(({ metadata, child }) => metadata.team === team && child !== undefined)).toBe(true);
      expect(JSON.stringify(trace)).not.toMatch(
        new RegExp(`guide-[${[0, 1, 2, 3, 4, 5].filter((i) => i % 3 !== team).join('')}]`),
      );
    }
    expect((await mixed.search('kiln', { k: 50, filter: { team: { gt: 5 } } })).hits).toEqual([]);
  });

  it('gives the children where those are asked for', async () => {
    const { hits } = await index.search('kiln', { k: 5, collapse: 'overlap' });
    expect(hits).toHaveLength(5);
    expect(hits.every(({ child, text }) => child === undefined && text.length < 400)).toBe(true);
  });

  it('does so in a search over several indexes only where all are of this kind', async () => {
    const other = await newIndex();
    await other.add([{ id: 'note', text: 'The kiln is cold.' }]);
    const ask = async (...indexes: SluiceIndex[]) => (await searchIndexes(indexes, 'kiln', { k: 3 })).hits;
    expect((await ask(index)).every(({ child }) => child !== undefined)).toBe(true);
    expect((await ask(index, other)).some(({ child }) => child !== undefined)).toBe(false);
  });
});
