/** The file of filter columns: what it holds for good, and what happens when it is damaged. */

import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/model/document.js';
import { packTexts } from '../../src/model/text-column.js';
import { addon } from '../../src/native/addon.js';
import type { NativeFilterIndex, NativeFilterWriter } from '../../src/native/contract.js';
import { evaluateFilter } from '../../src/store/filter/evaluate.js';
import { encodeFilter } from '../../src/store/filter/node.js';
import { parseFilter } from '../../src/store/filter/parse.js';
import { newFolder } from './support.js';

const GOLDEN = fileURLToPath(new URL('../fixtures/filters-v1.cols', import.meta.url));
const INDEX = 'golden';
const GENERATION = 3;

interface Row {
  key: number;
  born?: number;
  first: number;
  chunks: number;
  metadata: Metadata;
}

async function feed(into: Pick<NativeFilterWriter, 'add'>, rows: Row[]): Promise<void> {
  const numbers = rows.flatMap(({ key, born = 1, first, chunks }) => [key, born, first, chunks]);
  const texts = rows.flatMap(({ key, metadata }) => [
    `id ${key}`,
    `source ${key}`,
    'title',
    'text',
    JSON.stringify(metadata),
  ]);
  const { bytes, offsets } = packTexts(texts);
  await into.add(Float64Array.from(numbers), bytes, offsets);
}

async function save(rows: Row[], path: string): Promise<void> {
  const writer = addon().FilterWriter.create();
  await feed(writer, rows);
  await writer.save(path, INDEX, GENERATION);
}

async function opened(path: string, at = GENERATION): Promise<NativeFilterIndex> {
  const index = addon().FilterIndex.create();
  await index.open(path, INDEX, GENERATION, at);
  return index;
}

async function ids(index: NativeFilterIndex, filter: unknown): Promise<string[]> {
  const { unknown, ids } = await index.list(await encodeFilter(parseFilter(filter)), null, 1_000);
  expect(unknown).toEqual([]);
  return ids;
}

const texts = ['', 'a', 'ab', 'é', '😀', '2024-05-01', '2024-05-01T02:00:00+02:00'];
const goldenRows: Row[] = Array.from({ length: 70 }, (_, i) => ({
  key: 10 + i * 3,
  born: 1 + (i % 3),
  first: 1 + i * 4,
  chunks: i % 5,
  metadata: {
    text: texts[i % texts.length]!,
    number: i % 2 ? i / 4 : -i,
    mixed: [i, String(i % 4), i % 3 === 0, null],
    nested: { 'a.b': { c: i } },
    ...(i % 7 === 0 && { 'nested.a.b': i, empty: [], none: null }),
  },
}));

it.runIf(process.env.MAKE_GOLDEN)('makes the golden file', () => save(goldenRows, GOLDEN));

describe('a file of format version 1', () => {
  it('opens and answers', async () => {
    const index = await opened(GOLDEN);
    expect([...index.segments]).toEqual([70]);
    expect(index.lastKey).toBe(10 + 69 * 3);
    expect(await ids(index, { text: { gte: '2024-05-01', lte: '2024-05-01' }, number: { lt: -10 } })).toEqual(
      [46, 70, 88, 112, 130, 154, 172, 196, 214].map((key) => `id ${key}`).sort(),
    );
    expect(await ids(index, { 'nested.a.b': 7 })).toEqual(['id 31']);
    expect(await ids(index, { 'nested.a.b.c': { in: [8, 9] } })).toEqual(['id 34', 'id 37']);
    expect(await ids(index, { empty: { exists: true }, mixed: { contains: ['0', true, null] } })).toEqual([
      'id 10',
    ]);
    const { bits, count } = await index.select(await encodeFilter(parseFilter({ $id: 'id 22' })), 300);
    expect(count).toBe(4);
    expect([17, 18, 19, 20].every((label) => (bits[label >> 3]! >> (label & 7)) & 1)).toBe(true);
    expect(await index.fields()).toContain('nested.a.b');
  });

  it('is written the same, byte for byte', async () => {
    const path = join(newFolder(), '3.cols');
    await save(goldenRows, path);
    expect(readFileSync(path).equals(readFileSync(GOLDEN))).toBe(true);
  });

  it('is refused where another index or generation is meant', async () => {
    for (const [name, generation] of [
      ['other', GENERATION],
      [INDEX, GENERATION + 1],
    ] as const) {
      const index = addon().FilterIndex.create();
      await expect(index.open(GOLDEN, name, generation, generation)).rejects.toMatchObject({
        code: 'SLUICE_INDEX_CORRUPT',
        message: expect.stringContaining('it is generation 3 of index golden'),
      });
    }
  });

  it('shows a reader that is behind what was born by then', async () => {
    const index = await opened(GOLDEN, 1);
    const born = goldenRows.filter((row) => row.born === 1).map(({ key }) => `id ${key}`);
    expect(await ids(index, {})).toEqual(born.sort());
  });
});

describe('a damaged file', () => {
  const file = existsSync(GOLDEN) ? readFileSync(GOLDEN) : Buffer.alloc(1);

  it('is refused wherever a bit is flipped, and what was open stays', async () => {
    const path = join(newFolder(), 'flipped.cols');
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length * 8 - 1), async (bit) => {
        const flipped = Buffer.from(file);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        writeFileSync(path, flipped);
        const index = await opened(GOLDEN);
        const code = await index.open(path, INDEX, GENERATION, GENERATION).then(
          () => 'none',
          (error: { code: string }) => error.code,
        );
        expect(['SLUICE_INDEX_CORRUPT', 'SLUICE_INDEX_VERSION']).toContain(code);
        expect((await ids(index, {})).length).toBe(70);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused wherever it is cut, and with anything behind its end', async () => {
    const path = join(newFolder(), 'cut.cols');
    const lengths = [
      0,
      1,
      7,
      8,
      100,
      159,
      160,
      161,
      file.length - 1,
      ...Array.from({ length: 60 }, (_, i) => i * 97),
    ];
    for (const length of lengths) {
      copyFileSync(GOLDEN, path);
      truncateSync(path, length);
      const index = addon().FilterIndex.create();
      await expect(index.open(path, INDEX, GENERATION, GENERATION)).rejects.toMatchObject({
        code: expect.stringMatching(/SLUICE_INDEX_CORRUPT|SLUICE_NATIVE_FAILED/),
      });
    }
    writeFileSync(path, Buffer.concat([file, Buffer.of(0)]));
    await expect(opened(path)).rejects.toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
  });

  it('that is missing is not found', async () => {
    await expect(opened(join(newFolder(), 'none.cols'))).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
  });
});

describe('the index', () => {
  it('shows one of several versions that share their labels', async () => {
    const index = addon().FilterIndex.create();
    await feed(index, [
      { key: 1, first: 1, chunks: 3, metadata: { v: 'old', w: 1 } },
      { key: 2, first: 4, chunks: 2, metadata: { v: 'old' } },
    ]);
    await index.seal();
    await feed(index, [{ key: 3, first: 1, chunks: 3, metadata: { v: 'new' } }]);
    await index.seal();
    await index.remove(Float64Array.of(1, 99));
    const select = async (filter: unknown) => index.select(await encodeFilter(parseFilter(filter)), 5);
    expect([...(await select({ v: 'new' })).bits]).toEqual([0b001110]);
    expect([...(await select({ v: 'old' })).bits]).toEqual([0b110000]);
    expect(await select({})).toMatchObject({ count: 5, unknown: [] });
    expect((await select({ w: 1 })).unknown).toEqual(['w']);
    await index.retain(Float64Array.of(2));
    expect((await select({})).count).toBe(2);
    await index.keep(0);
    expect((await select({})).count).toBe(0);
  });

  it('reads JSON as JavaScript does, however it is written', async () => {
    const texts = [
      '{ "a" : [ 1e2 , -0.5E-1,\t-0 ] ,\n"b":{ } }',
      String.raw`{"a":"\u0041\ud83d\ude00\ud800x\n\/","\u0062":[]}`,
      String.raw`{"a":"\ud800\ud83d\ude00\udc00","b":9007199254740993}`,
    ];
    const index = addon().FilterIndex.create();
    for (const [i, text] of texts.entries()) {
      const { bytes, offsets } = packTexts([`id ${i}`, '', '', '', text]);
      await index.add(Float64Array.of(i + 1, 1, i + 1, 1), bytes, offsets);
    }
    await index.seal();
    const parsed = texts.map((text) => JSON.parse(text) as Metadata);
    for (const filter of [
      { a: 100 },
      { a: -0.05 },
      { a: 0 },
      { b: { exists: true } },
      { b: { contains: [] } },
      { b: 9007199254740992 },
      { a: 'A😀\ufffdx\n/' },
      { a: { prefix: '\ufffd😀' } },
      { a: '\ud800😀\udc00' },
    ]) {
      const expected = parsed.flatMap((metadata, i) =>
        evaluateFilter(parseFilter(filter), { id: '', source: '', title: '', format: '', metadata })
          ? [`id ${i}`]
          : [],
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(await ids(index, filter)).toEqual(expected);
    }
  });

  it('survives whatever comes as a filter or as metadata', async () => {
    const index = addon().FilterIndex.create();
    await feed(index, [{ key: 1, first: 1, chunks: 1, metadata: { a: { b: 1 } } }]);
    await index.seal();
    const deepFilter = `${'{"kind":"not","node":'.repeat(5_000)}{}${'}'.repeat(5_000)}`;
    const deepest = `${'{"kind":"not","node":'.repeat(498)}{"kind":"all","nodes":[]}${'}'.repeat(498)}`;
    expect((await index.select(deepest, 1)).count).toBe(1);
    const part = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"kind"',
        '"all"',
        '"nodes"',
        '"field"',
        '"a"',
        '"test"',
        '"op"',
        '"in"',
      ],
      ...['"values"', '1', '-', '1e999', 'null', 'tru', '"', '\\u12', '\\', ' ', '"value"', '"gt"', 'é'],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(part, { maxLength: 30 }).map((parts) => parts.join('')),
          fc.json(),
          fc.constant(deepFilter),
        ),
        async (text) => {
          const outcome = await index.select(text, 1).then(
            () => 'answered',
            (error: { code: string }) => error.code,
          );
          expect(['answered', 'SLUICE_NATIVE_ARGUMENT']).toContain(outcome);
          const { bytes, offsets } = packTexts(['', '', '', '', text]);
          const fresh = addon().FilterIndex.create();
          const added = await fresh.add(Float64Array.of(1, 1, 1, 1), bytes, offsets).then(
            () => 'added',
            (error: { code: string }) => error.code,
          );
          const isObject = (() => {
            try {
              const value = JSON.parse(text);
              return typeof value === 'object' && value !== null && !Array.isArray(value);
            } catch {
              return false;
            }
          })();
          expect(added).toBe(isObject && text !== deepFilter ? 'added' : 'SLUICE_NATIVE_ARGUMENT');
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses rows that are wrong, and goes on without them', async () => {
    const index = addon().FilterIndex.create();
    const good: Row = { key: 5, first: 1, chunks: 1, metadata: {} };
    const one = packTexts(['a', 'b', 'c', 'd', '{}']);
    for (const [numbers, column, message] of [
      [[1, 1, 1], one, 'expected 4 numbers and 5 texts a document'],
      [[1, 1, 1, 1], packTexts(['a']), 'expected 4 numbers and 5 texts a document'],
      [[1.5, 1, 1, 1], one, '1.5 is no whole number'],
      [[1, 1, 4294967295, 1], one, 'the labels of key 1 end past 32 bits'],
      [[1, 1, 1, 1], packTexts(['a', 'b', 'c', 'd', '{"x":}']), "document 'a': the JSON is wrong at byte 5"],
      [[1, 1, 1, 1], packTexts(['a', 'b', 'c', 'd', '{"x":[1}']), 'expected a comma or the end of a list'],
      [[1, 1, 1, 1], packTexts(['a', 'b', 'c', 'd', '[]']), "expected '{'"],
    ] as const) {
      await expect(
        (async () => index.add(Float64Array.from(numbers), column.bytes, column.offsets))(),
      ).rejects.toMatchObject({
        code: 'SLUICE_NATIVE_ARGUMENT',
        message: expect.stringContaining(message),
      });
    }
    await feed(index, [good]);
    await expect(feed(index, [good])).rejects.toMatchObject({
      message: expect.stringContaining('does not ascend'),
    });
    await feed(index, [good]);
    await index.seal();
    expect(await ids(index, {})).toEqual(['id 5']);
    await expect(index.select('{"kind":"none"}', 9)).rejects.toMatchObject({
      code: 'SLUICE_NATIVE_ARGUMENT',
    });
    await expect(index.select('', 0)).rejects.toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
  });
});
