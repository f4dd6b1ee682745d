import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { compactIndex, exportIndex, importIndex, openStore, verifyIndex } from '../../../src/store/index.js';
import { EXCHANGE_VERSION } from '../../../src/store/maintenance/exchange.js';
import { batch, document, newFolder, newStore, randomness, vectorOf } from '../support.js';
import { answersOf, filledFolder, GRAPH, liveIds, query } from './fixture.js';

let index: string;

beforeAll(async () => {
  index = await filledFolder();
  // Until then, superseded versions still count in its scores.
  await compactIndex(index, { graphThreshold: 20 });
});

/** Exports, imports, and gives both ends. */
async function there(folder: string, name: string, options = {}): Promise<{ file: string; made: string }> {
  const place = newFolder();
  const [file, made] = [join(place, name), join(place, 'made')];
  await exportIndex(folder, file, options);
  await importIndex(file, made, { graphThreshold: 20 });
  return { file, made };
}

const VECTORS = `SELECT d.id, c.chunk_id, v.data FROM documents d JOIN chunks c ON c.body = d.body
  JOIN vectors v ON v.label = c.label WHERE d.died IS NULL ORDER BY c.label`;
const HASHES = VECTORS.replace('v.data', 'c.embedding_hash');
const STATES = 'SELECT * FROM sources ORDER BY source';
const ROOTS = 'SELECT * FROM roots';
const CONTENT = 'SELECT id, content_hash FROM documents WHERE died IS NULL ORDER BY body';

describe.each([
  ['index.jsonl', {}],
  ['index.jsonl', { vectors: 'arrays' }],
  ['index.parquet', {}],
])('%s %j', (name, options) => {
  it('gives the same index again, bit for bit', async () => {
    const { made } = await there(index, name, options);
    expect(await answersOf(made)).toEqual(await answersOf(index));
    expect(liveIds(made)).toEqual(liveIds(index));
    for (const sql of [VECTORS, HASHES, STATES, ROOTS, CONTENT])
      expect(query(made, sql)).toEqual(query(index, sql));
    expect(await verifyIndex(made)).toMatchObject({ ok: true, findings: [] });
    expect(readdirSync(dirname(made)).sort()).toEqual([name, 'made']);
  });
});

describe('any documents', () => {
  const texts = fc.array(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((text) => text.isWellFormed()),
    { maxLength: 6 },
  );
  const documents = fc.uniqueArray(
    fc.record({
      id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => text.isWellFormed()),
      texts,
      metadata: fc.dictionary(
        fc.string({ maxLength: 8 }).filter((key) => key.isWellFormed() && key !== '__proto__'),
        fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
        { maxKeys: 4 },
      ),
    }),
    { selector: ({ id }: { id: string }) => id, minLength: 1, maxLength: 8 },
  );

  it.each(['x.jsonl', 'x.parquet'])('come back from %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(documents, async (list) => {
        const folder = newFolder();
        const store = await newStore({}, folder);
        const writer = await store.writer();
        await writer.commit(
          batch(
            list.map(({ id, texts, metadata }) =>
              document(id, texts, { metadata: metadata as never, keywordText: (chunk) => `p ${chunk}` }),
            ),
          ),
        );
        await store.close();
        const { made } = await there(folder, name);
        for (const sql of [VECTORS, CONTENT]) expect(query(made, sql)).toEqual(query(folder, sql));
        expect(await answersOf(made, {})).toEqual(await answersOf(folder, {}));
      }),
      { numRuns: Number(process.env.SLUICE_LONG ?? 0) > 0 ? 100 : 6 },
    );
  });
});

describe('an export file', () => {
  it('is read by others: Parquet', async () => {
    const file = join(newFolder(), 'x.parquet');
    await exportIndex(index, file);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
    const chunk = rows.find((row) => row.text === 'alpha number7 part1')!;
    expect(chunk).toMatchObject({
      document_id: 'docs/7.md',
      title: 'Number 7',
      chunk_index: 1,
      kind: 'prose',
    });
    expect(JSON.parse(chunk.metadata)).toMatchObject({ n: 7 });
    expect(Float32Array.from(chunk.vector)).toEqual(vectorOf('alpha number7 part1'));
  });

  it('is a line of JSON a document', async () => {
    const file = join(newFolder(), 'x.jsonl');
    const report = await exportIndex(index, file, { vectors: 'arrays' });
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].sluice).toMatchObject({
      version: EXCHANGE_VERSION,
      documents: report.documents,
      passport: { chunker: 'test-chunks-1' },
    });
    const found = lines.find((line) => line.document?.id === 'docs/7.md').document;
    expect(found).toMatchObject({ title: 'Number 7', text: 'alpha number7 part0\nalpha number7 part1' });
    expect(found.chunks[1]).toMatchObject({ start: 20, end: 39, tokens: 3, kind: 'prose' });
    expect(Float32Array.from(found.chunks[1].vector)).toEqual(vectorOf('alpha number7 part1'));
    const { documents, chunks } = report;
    expect(lines.at(-1).end).toMatchObject({ roots: 1, documents, chunks, crc32: expect.any(Number) });
  });

  it('is not overwritten without being told', async () => {
    const file = join(newFolder(), 'x.jsonl');
    writeFileSync(file, 'mine');
    await expect(exportIndex(index, file)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    writeFileSync(`${file}.unfinished`, 'mine too');
    await exportIndex(index, file, { overwrite: true });
    expect(readFileSync(`${file}.unfinished`, 'utf8')).toBe('mine too');
    expect(readdirSync(dirname(file)).sort()).toEqual(['x.jsonl', 'x.jsonl.unfinished']);
  });

  it('without vectors makes no index', async () => {
    const file = join(newFolder(), 'x.jsonl');
    await exportIndex(index, file, { vectors: 'none' });
    await expect(importIndex(file, `${file}.made`)).rejects.toThrow(/--vectors none.*--vectors base64/);
  });

  it('takes its form from its ending, and refuses one that says something else', async () => {
    const place = newFolder();
    await expect(exportIndex(index, join(place, 'x.csv'))).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    expect(readdirSync(place)).toEqual([]);
    await exportIndex(index, join(place, 'x.csv'), { format: 'jsonl' });
    await exportIndex(index, join(place, 'made/for/it.jsonl'));
    await importIndex(join(place, 'made/for/it.jsonl'), join(place, 'index'));
  });

  it('is no folder, and no file of something else', async () => {
    const place = newFolder();
    for (const name of ['notes.md', 'records.jsonl', 'table.parquet', 'empty.jsonl']) {
      const file = join(place, name);
      writeFileSync(file, name.startsWith('empty') ? '' : '{"id":"a","text":"something else"}\n');
      await expect(importIndex(file, join(place, 'index'))).rejects.toMatchObject({
        code: 'SLUICE_EXPORT_INVALID',
        message: `${file} is no export of an index; to index documents use: sluice index ${file}`,
      });
      await expect(importIndex(join(file, 'x'), join(place, 'index'))).rejects.toMatchObject({
        code: 'SLUICE_USAGE',
      });
    }
    await expect(importIndex(place, join(place, 'index'))).rejects.toThrow(/is a folder/);
    await expect(exportIndex(index, place, { overwrite: true })).rejects.toThrow(/is a folder/);
    expect(readdirSync(place)).toHaveLength(4);
  });

  it.each(['x.jsonl', 'x.parquet'])('that is cut or damaged anywhere makes nothing: %s', async (name) => {
    const place = newFolder();
    const file = join(place, name);
    const made = join(place, 'made');
    await exportIndex(index, file);
    const whole = readFileSync(file);
    const next = randomness(7);
    const rounds = Number(process.env.SLUICE_LONG ?? 0) > 0 ? 400 : 12;
    const expected = await answersOf(index);
    for (let round = 0; round < rounds; round++) {
      writeFileSync(file, whole);
      const at = Math.floor(next() * whole.length);
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1 << Math.floor(next() * 8);
      if (round % 3 === 0) truncateSync(file, at);
      else writeFileSync(file, bytes);
      const outcome = await importIndex(file, made, { graphThreshold: 20 }).then(
        () => undefined,
        (error) => error,
      );
      // Parquet has bytes that nobody reads: statistics and indexes of pages.
      if (outcome === undefined) {
        expect(name).toBe('x.parquet');
        expect(await answersOf(made)).toEqual(expected);
        rmSync(made, { recursive: true });
        continue;
      }
      expect(outcome.code, outcome.stack).toBe('SLUICE_EXPORT_INVALID');
      expect(outcome.message).toMatch(/line \d+|rows? \d+|the footer|the last row/);
      expect(readdirSync(place)).toEqual([name]);
    }
  });

  it('of another program, or with something behind its end, is refused', async () => {
    const place = newFolder();
    const file = join(place, 'x.jsonl');
    writeFileSync(file, '{"a":1}\n');
    await expect(importIndex(file, join(place, 'made'))).rejects.toMatchObject({
      code: 'SLUICE_EXPORT_INVALID',
      details: { path: file },
    });
    await exportIndex(index, file, { overwrite: true });
    appendFileSync(file, '{"a":1}\n');
    await expect(importIndex(file, join(place, 'made'))).rejects.toThrow(/something follows the end/);
    writeFileSync(join(place, 'x.parquet'), 'PAR1 nothing PAR1');
    await expect(importIndex(join(place, 'x.parquet'), join(place, 'made'))).rejects.toMatchObject({
      code: 'SLUICE_EXPORT_INVALID',
    });
    await expect(importIndex(join(place, 'none'), join(place, 'made'))).rejects.toMatchObject({
      code: 'SLUICE_NOT_FOUND',
    });
  });

  it('goes into a new or empty folder only', async () => {
    const place = newFolder();
    const file = join(place, 'x.jsonl');
    await exportIndex(index, file);
    await expect(importIndex(file, place)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    const empty = newFolder();
    await importIndex(file, empty, { graphThreshold: GRAPH.graphThreshold! });
    const store = await openStore(empty);
    expect(await (await store.reader()).has(['docs/7.md'])).toEqual([true]);
    await store.close();
  });
});
