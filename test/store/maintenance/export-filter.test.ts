import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Filter } from '../../../src/model/filter.js';
import {
  evaluateFilter,
  exportIndex,
  importIndex,
  openStore,
  parseFilter,
  verifyIndex,
} from '../../../src/store/index.js';
import { batch, document, newFolder, newStore } from '../support.js';
import { answersOf, filledFolder, query } from './fixture.js';

let index: string;
let large: string;

/** Records of files: some files pass as a whole, some in part, some not at all, and one has no document. */
async function folderOfRecords(): Promise<string> {
  const folder = newFolder();
  const store = await newStore({ filterThreshold: 5 }, folder);
  const writer = await store.writer();
  const state = { size: 9, mtimeMs: 1_700_000_000_000, status: 'done' as const, error: null };
  const record = (source: string, i: number, lang: string) =>
    document(`${source}#${i}`, i === 3 ? [] : [`words ${i} of ${source}`], { source, metadata: { lang } });
  const files: Record<string, string[]> = {
    'all.jsonl': ['de', 'de', 'de', 'de'],
    'none.jsonl': ['en', 'en'],
    'some.jsonl': ['de', 'en', 'fr', 'de'],
    'bare.jsonl': [],
  };
  for (const [source, languages] of Object.entries(files)) {
    const documents = languages.map((lang, i) => record(source, i, lang));
    await writer.commit(batch(documents, [], [{ source, ...state }]));
    await writer.publish();
  }
  // Committed, and not published: an export is of the newest commit.
  await writer.commit(batch([record('all.jsonl', 9, 'de')], ['some.jsonl#2'], []));
  await store.close();
  return folder;
}

beforeAll(async () => {
  index = await filledFolder();
  large = await folderOfRecords();
});

async function exported(folder: string, name: string, filter: Filter) {
  const place = newFolder();
  const made = join(place, 'made');
  const report = await exportIndex(folder, join(place, name), { filter });
  await importIndex(join(place, name), made, { graphThreshold: 20 });
  expect(await verifyIndex(made)).toMatchObject({ ok: true, findings: [] });
  return { report, made };
}

const LIVE = `SELECT id, source, title, format, metadata, chunk_count AS count FROM documents WHERE died IS NULL
  ORDER BY body`;

interface Live {
  id: string;
  source: string;
  title: string;
  format: string;
  metadata: string;
  count: number;
}

describe.each(['x.jsonl', 'x.parquet'])('an export with a filter: %s', (name) => {
  it.each<[string, Filter]>([
    ['a range', { n: { gte: 20 } }],
    ['a list', { tags: { contains: ['x', null] } }],
    ['what chunkless documents have, too', { n: { exists: false } }],
    ['a field of the document itself', { $id: { prefix: 'docs/1' } }],
    ['everything', {}],
    ['nothing', { n: { lt: 0 } }],
  ])('holds what passes: %s', async (_name, filter) => {
    const node = parseFilter(filter);
    const passes = (row: Live) => evaluateFilter(node, { ...row, metadata: JSON.parse(row.metadata) });
    const expected = query<Live>(index, LIVE).filter(passes);
    const { report, made } = await exported(index, name, filter);
    expect(query<Live>(made, LIVE)).toEqual(expected);
    const chunks = expected.reduce((sum, { count }) => sum + count, 0);
    expect(report).toMatchObject({ documents: expected.length, chunks });
    await answersOf(made);
  });

  it('takes a file for read only where all of it is there', async () => {
    const { made } = await exported(large, name, { lang: 'de' });
    expect(query(made, 'SELECT id FROM documents ORDER BY body')).toEqual(
      [0, 1, 2, 3]
        .map((i) => `all.jsonl#${i}`)
        .concat(['some.jsonl#0', 'some.jsonl#3', 'all.jsonl#9'])
        .map((id) => ({ id })),
    );
    expect(query(made, 'SELECT source, status FROM sources ORDER BY source')).toEqual([
      { source: 'all.jsonl', status: 'done' },
      { source: 'some.jsonl', status: 'partial' },
    ]);
  });
});

it('a wrong filter of an export is told, and writes nothing', async () => {
  const place = newFolder();
  const file = join(place, 'x.jsonl');
  await expect(exportIndex(index, file, { filter: { year: 1 } })).rejects.toMatchObject({
    code: 'SLUICE_FILTER_UNKNOWN_FIELD',
    details: { field: 'year' },
  });
  await expect(exportIndex(index, file, { filter: 5 as never })).rejects.toMatchObject({
    code: 'SLUICE_FILTER_INVALID',
  });
  expect(readdirSync(place)).toEqual([]);
  // The file of the columns takes part where there is one.
  expect(existsSync(join(large, 'filters'))).toBe(true);
  const store = await openStore(large);
  const { count } = await (await store.reader()).select({ lang: 'de' });
  await store.close();
  expect((await exportIndex(large, file, { filter: { lang: 'de' } })).chunks).toBe(count);
});
