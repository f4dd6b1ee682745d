import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { loadChunker, loadReaders } from '../../src/indexing/caller-modules.js';
import { ModuleCalls } from '../../src/indexing/module-calls.js';
import type { ChunkerContext } from '../../src/model/chunker.js';
import { newFolder, newIndex } from '../index-support.js';
import { type Workplace, workplace } from './support.js';

const MODULES = 'test/fixtures/modules';
const folder = mkdtempSync(join(tmpdir(), 'sluice-modules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function moduleWith(source: string): string {
  const path = join(folder, `${files++}.mjs`);
  writeFileSync(path, source);
  return pathToFileURL(path).href;
}

const calls = new ModuleCalls([], 10_000);

const invalid = (message: string) =>
  expect.objectContaining({ code: 'SLUICE_MODULE_INVALID', message: expect.stringContaining(message) });

describe('a module', () => {
  it.each([
    ['export default 5', 'its default export is no Chunker and makes none'],
    ['export const chunk = () => {}', 'its default export is no Chunker'],
    ['export default { chunk() {} }', 'it has no fingerprint'],
    ['throw new Error("on purpose")', 'it does not load: on purpose'],
    ['export default () => { throw new Error("no model") }', 'it does not load: no model'],
    ['this is no code', 'it does not load'],
  ])('is refused as a chunker: %s', async (source, message) => {
    await expect(loadChunker(moduleWith(source), {} as ChunkerContext, calls)).rejects.toEqual(
      invalid(message),
    );
  });

  it.each([
    ['export default {}', 'its default export is no DocumentReader'],
    ['export default { read() {} }', 'it has no name'],
    ['export default { read() {}, name: "x" }', 'it has no fingerprint'],
    ['export default { read() {}, name: "x", fingerprint: "1" }', 'the extensions of x are no list'],
    [
      'export default { read() {}, name: "x", fingerprint: "1", extensions: ["x"], format: "jsonl" }',
      'the format of x',
    ],
  ])('is refused as a reader: %s', async (source, message) => {
    await expect(loadReaders([moduleWith(source)], calls)).rejects.toEqual(invalid(message));
  });

  it('that is missing is named', async () => {
    const url = pathToFileURL(resolve('nowhere.mjs')).href;
    await expect(loadReaders([url], calls)).rejects.toEqual(
      invalid(`${url} cannot be used: it does not load`),
    );
  });
});

describe('an index with modules of the caller', () => {
  let place: Workplace;
  afterEach(() => place.remove());

  it('cuts and reads with them, and asks for them again', async () => {
    place = await workplace({
      'docs/a.note': '= Kiln\n\nThe kiln is hot.\nIt cools for two days.',
      'docs/b.md': '# B\n\nOne line.\nAnother line.',
    });
    const modules = {
      chunker: `${MODULES}/lines-chunker.mjs`,
      readers: [pathToFileURL(resolve(MODULES, 'note-reader.mjs'))],
    };
    const where = newFolder();
    const index = await newIndex(modules, where);
    const report = await index.add(place.path('docs'));
    expect(report).toMatchObject({ filesDone: 2, documents: 2, skipped: 0 });
    const { hits } = await index.search('cools', { legs: { vectors: false } });
    expect(hits[0]).toMatchObject({
      documentId: 'docs/a.note',
      text: 'It cools for two days.',
      title: 'Kiln',
      startLine: 4,
    });
    expect(hits[0]?.metadata).toMatchObject({ note: true });
    await index.close();

    // Searching needs none of them; adding without them would remove what they read.
    const plain = await newIndex({}, where);
    expect((await plain.search('cools', { legs: { vectors: false } })).hits).toHaveLength(1);
    const mismatch = {
      code: 'SLUICE_PASSPORT_MISMATCH',
      message: expect.stringMatching(/chunker .*module\(lines-1\).*readers/),
    };
    await expect(plain.add(place.path('docs'))).rejects.toEqual(expect.objectContaining(mismatch));
    await plain.close();

    await expect(newIndex({ readers: modules.readers }, where)).rejects.toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
    });
    const again = await newIndex(modules, where);
    expect(await again.add(place.path('docs'))).toMatchObject({ filesUnchanged: 2 });
    await again.close();
  }, 60_000);

  it('reports what breaks the contract, document by document, and takes the rest', async () => {
    place = await workplace({
      'docs/a.md': 'first line\nsecond line',
      'docs/b.md': 'only line',
      'docs/c.md': 'throw',
      'docs/d.note': 'BROKEN',
      'docs/e.note': 'NAMELESS',
    });
    const index = await newIndex({
      chunker: `${MODULES}/losing-chunker.mjs`,
      readers: [`${MODULES}/note-reader.mjs`],
    });
    const report = await index.add(place.path('docs'));
    expect(report).toMatchObject({ documents: 1, skipped: 4 });
    const errors = Object.fromEntries(report.skippedItems.map(({ source, error }) => [source, error]));
    expect(errors['docs/a.md']).toEqual(invalid('no chunk holds "second line" at 11 to 22'));
    expect(errors['docs/c.md']).toEqual(invalid('the chunker failed on docs/c.md: no words'));
    expect(errors['docs/d.note']).toEqual(invalid('sections.start does not ascend within the text'));
    expect(errors['docs/e.note']).toEqual(invalid('a name of its sections is no string'));
    await index.close();
  }, 60_000);

  it('stores the document of the reader, whatever a chunker does to its own', async () => {
    place = await workplace({ 'docs/a.md': '---\nyear: 2020\ntags: [one]\n---\n\n# Kiln\n\nIt is hot.\n' });
    const index = await newIndex({ chunker: `${MODULES}/meddling-chunker.mjs` });
    expect(await index.add(place.path('docs'))).toMatchObject({ documents: 1, skipped: 0 });
    const document = await index.get('docs/a.md');
    expect(document).toMatchObject({ title: 'Kiln', metadata: { year: 2020, tags: ['one'] } });
    expect(document?.metadata).not.toHaveProperty('added');
    expect(document?.text).toContain('It is hot.');
    expect(await index.count({ filter: { year: 1900 } })).toMatchObject({ documents: 0 });
    expect(await index.count({ filter: { tags: 'chunker' } })).toMatchObject({ documents: 0 });
    // Nothing of it makes the file look changed.
    expect(await index.add(place.path('docs'))).toMatchObject({ filesUnchanged: 1 });
    await index.close();
  }, 60_000);

  it('is not made where a module is wrong', async () => {
    place = await workplace({});
    await expect(newIndex({ chunker: `${MODULES}/nowhere.mjs` })).rejects.toEqual(invalid('does not load'));
    await expect(newIndex({ chunker: 5 as never })).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    const both = { chunker: `${MODULES}/lines-chunker.mjs`, chunking: { strategy: 'window' } } as const;
    await expect(newIndex(both)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });
});
