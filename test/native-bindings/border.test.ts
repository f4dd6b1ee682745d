/** The border: any view of memory is read rightly, and what is wrong is refused with a code. */

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NativeKeywordReader, NativeKeywordWriter } from '../../src/native/contract.js';
import { codeOf, columns, native, TOKENIZER_FILE, temporaryFolder } from './support.js';

const ARGUMENT = 'SLUICE_NATIVE_ARGUMENT';
const folder = temporaryFolder();

type Numbers = Uint8Array | Uint32Array | Float32Array;

/** The same numbers behind a byteOffset, with other numbers before and after. */
function asSubarray<T extends Numbers>(values: T): T {
  const wider = new (values.constructor as new (length: number) => T)(values.length + 6).fill(77) as T;
  wider.set(values, 3);
  return wider.subarray(3, 3 + values.length) as T;
}

function asShared<T extends Numbers>(values: T): T {
  const buffer = new SharedArrayBuffer(values.byteLength + 16);
  const shared = new (values.constructor as new (b: SharedArrayBuffer, at: number, n: number) => T)(
    buffer,
    8,
    values.length,
  );
  shared.set(values);
  return shared;
}

function detached<T extends Numbers>(values: T): T {
  const copy = values.slice() as T;
  structuredClone(copy.buffer, { transfer: [copy.buffer as ArrayBuffer] });
  expect(copy.length).toBe(0);
  return copy;
}

const VIEWS: [string, <T extends Numbers>(values: T) => T][] = [
  ['plain', (values) => values],
  ['subarray', asSubarray],
  ['SharedArrayBuffer', asShared],
];

const [bytes, offsets] = columns(['first text', 'das zweite ö', '']);
const rows = Float32Array.of(1, 0, 0, 1, 1, 1);
const labels = Uint32Array.of(4, 5, 6);
const bits = Uint8Array.of(0b0110_0000);

let writer: NativeKeywordWriter;
let reader: NativeKeywordReader;

beforeAll(async () => {
  const path = join(folder, 'keywords');
  writer = native.KeywordWriter.open(path, 1, 20_000_000);
  await writer.add(labels, bytes, offsets);
  await writer.commit('one');
  reader = native.KeywordReader.open(path);
});

function filledGraph() {
  const graph = native.VectorGraph.create(2, 'ip', 'float32', 8, 50, 1);
  return graph.insert(labels, rows, 1).then(() => graph);
}

function filledFlat() {
  const flat = native.FlatVectors.create(2, 'ip', 'float32');
  flat.append(labels, rows);
  return flat;
}

describe.each(VIEWS)('views: %s', (_, view) => {
  it('tokens', () => {
    const model = native.ModelTokenizer.fromFile(TOKENIZER_FILE);
    const bpe = native.BpeEncoding.load('cl100k');
    const b = view(bytes);
    const o = view(offsets);
    expect(model.countRows(b, o)).toEqual(model.countRows(bytes, offsets));
    expect(model.encodeRows(b, o, true)).toEqual(model.encodeRows(bytes, offsets, true));
    expect(model.encodePairs('q', b, o)).toEqual(model.encodePairs('q', bytes, offsets));
    expect([...bpe.countRows(b, o)]).toEqual([2, 4, 0]);
    expect(bpe.encodeRows(b, o)).toEqual(bpe.encodeRows(bytes, offsets));
  });

  it('vectors', async () => {
    const graph = native.VectorGraph.create(2, 'ip', 'float32', 8, 50, 1);
    await graph.insert(view(labels), view(rows), 1);
    const found = await graph.search(view(Float32Array.of(2, 1, 0, 3)), 2, 10, 1, view(bits));
    expect(found).toEqual({
      labels: Uint32Array.of(6, 5, 5, 6),
      scores: Float32Array.of(3, 1, 3, 3),
      counts: Uint32Array.of(2, 2),
    });
    const flat = native.FlatVectors.create(2, 'ip', 'float32');
    flat.append(view(labels), view(rows));
    const exact = await flat.search(view(Float32Array.of(2, 1)), 3, 1, view(bits));
    expect(exact).toEqual({ labels: Uint32Array.of(6, 5), scores: Float32Array.of(3, 1) });
  });

  it('keywords', async () => {
    const path = join(folder, `keywords-${_}`);
    const ours = native.KeywordWriter.open(path, 1, 20_000_000);
    await ours.add(view(labels), view(bytes), view(offsets));
    await ours.remove(view(Uint32Array.of(4)));
    await ours.commit('');
    await ours.close();
    const seen = native.KeywordReader.open(path);
    expect([...(await seen.search('first zweite', 9, null)).labels]).toEqual([5]);
    expect([...(await seen.search('zweite', 9, view(bits))).labels]).toEqual([5]);
    expect([...(await seen.search('zweite', 9, view(Uint8Array.of(0)))).labels]).toEqual([]);
    await seen.close();
  });
});

it('takes empty arrays', async () => {
  const none = new Uint32Array(0);
  const [noBytes, noOffsets] = columns([]);
  const model = native.ModelTokenizer.fromFile(TOKENIZER_FILE);
  const bpe = native.BpeEncoding.load('o200k');
  expect(model.countRows(noBytes, noOffsets)).toEqual(none);
  expect(bpe.encodeRows(noBytes, noOffsets)).toEqual({ ids: none, rowOffsets: Uint32Array.of(0) });
  const graph = native.VectorGraph.create(2, 'ip', 'float32', 8, 50, 1);
  await graph.insert(none, new Float32Array(0), 2);
  expect(graph.size).toBe(0);
  const nothing = { labels: none, scores: new Float32Array(0), counts: none };
  expect(await graph.search(new Float32Array(0), 3, 10, 1, null)).toEqual(nothing);
  const flat = native.FlatVectors.create(2, 'ip', 'float32');
  flat.append(none, new Float32Array(0));
  expect(flat.size).toBe(0);
  await writer.add(none, noBytes, noOffsets);
  await writer.remove(none);
  expect((await reader.search('first', 5, new Uint8Array(0))).labels).toEqual(none);
});

it('gives results that can be transferred to another thread', async () => {
  const found = await filledFlat().search(Float32Array.of(1, 1), 3, 1, null);
  expect(structuredClone(found.labels, { transfer: [found.labels.buffer as ArrayBuffer] })).toHaveLength(3);
  expect(found.labels).toHaveLength(0);
});

it('copies inputs before an asynchronous call returns', async () => {
  const mine = rows.slice();
  const myLabels = labels.slice();
  const graph = native.VectorGraph.create(2, 'ip', 'float32', 8, 50, 1);
  const inserted = graph.insert(myLabels, mine, 1);
  mine.fill(9);
  myLabels.fill(1);
  await inserted;
  const query = Float32Array.of(2, 1);
  const searched = graph.search(query, 3, 10, 1, null);
  query.fill(0);
  expect([...(await searched).labels]).toEqual([6, 4, 5]);
});

type Wrong = (values: Numbers) => unknown;
const WRONG_ARRAYS: [string, Wrong][] = [
  ['a detached array', (values) => detached(values)],
  ['an array of another type', (values) => Float64Array.from(values)],
  ['a plain array', (values) => [...values]],
  ['an ArrayBuffer', (values) => values.buffer],
  ['a DataView', (values) => new DataView(values.buffer)],
  ['undefined', () => undefined],
  ['null', () => null],
];

describe.each(WRONG_ARRAYS)('refuses %s', (name, wrong) => {
  // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
  const bad = (values: Numbers): any => wrong(values);

  it('in tokens', async () => {
    const model = native.ModelTokenizer.fromFile(TOKENIZER_FILE);
    const bpe = native.BpeEncoding.load('cl100k');
    for (const tokenizer of [model, bpe]) {
      expect(await codeOf(() => tokenizer.countRows(bad(bytes), offsets))).toBe(ARGUMENT);
      expect(await codeOf(() => tokenizer.countRows(bytes, bad(offsets)))).toBe(ARGUMENT);
      expect(await codeOf(() => tokenizer.encodeRows(bad(bytes), offsets, true))).toBe(ARGUMENT);
      expect(await codeOf(() => tokenizer.encodeRows(bytes, bad(offsets), true))).toBe(ARGUMENT);
    }
    expect(await codeOf(() => model.encodePairs('q', bad(bytes), offsets))).toBe(ARGUMENT);
    expect(await codeOf(() => model.encodePairs('q', bytes, bad(offsets)))).toBe(ARGUMENT);
  });

  it('in keywords', async () => {
    expect(await codeOf(() => writer.add(bad(labels), bytes, offsets))).toBe(ARGUMENT);
    expect(await codeOf(() => writer.add(labels, bad(bytes), offsets))).toBe(ARGUMENT);
    expect(await codeOf(() => writer.add(labels, bytes, bad(offsets)))).toBe(ARGUMENT);
    expect(await codeOf(() => writer.remove(bad(labels)))).toBe(ARGUMENT);
    const allowsNone = name === 'undefined' || name === 'null';
    expect(await codeOf(() => reader.search('x', 1, bad(bits)))).toBe(allowsNone ? undefined : ARGUMENT);
  });

  it('in vectors', async () => {
    const graph = await filledGraph();
    const flat = filledFlat();
    const more = Uint32Array.of(7, 8, 9);
    const allowsNone = name === 'undefined' || name === 'null';
    expect(await codeOf(() => graph.insert(bad(more), rows, 1))).toBe(ARGUMENT);
    expect(await codeOf(() => graph.insert(more, bad(rows), 1))).toBe(ARGUMENT);
    expect(await codeOf(() => graph.search(bad(rows), 1, 10, 1, null))).toBe(ARGUMENT);
    const filtered = await codeOf(() => graph.search(rows, 1, 10, 1, bad(bits)));
    expect(filtered).toBe(allowsNone ? undefined : ARGUMENT);
    expect(await codeOf(() => flat.append(bad(more), rows))).toBe(ARGUMENT);
    expect(await codeOf(() => flat.append(more, bad(rows)))).toBe(ARGUMENT);
    expect(await codeOf(() => flat.search(bad(rows), 1, 1, null))).toBe(ARGUMENT);
    expect([graph.size, flat.size]).toEqual([3, 3]);
  });
});

describe('refuses columns that contradict themselves', () => {
  const CASES: [string, Uint8Array, Uint32Array][] = [
    ['no offsets', bytes, new Uint32Array(0)],
    ['a first offset over 0', Uint8Array.of(97, 98), Uint32Array.of(1, 2)],
    ['an end short of the bytes', Uint8Array.of(97, 98), Uint32Array.of(0, 1)],
    ['an end past the bytes', Uint8Array.of(97, 98), Uint32Array.of(0, 3)],
    ['falling offsets', Uint8Array.of(97, 98), Uint32Array.of(0, 2, 1, 2)],
    ['a huge offset', Uint8Array.of(97, 98), Uint32Array.of(0, 0xffffffff, 2)],
    ['bytes that are not UTF-8', Uint8Array.of(97, 0xff), Uint32Array.of(0, 2)],
    ['a surrogate in UTF-8', Uint8Array.of(0xed, 0xa0, 0x80), Uint32Array.of(0, 3)],
    ['an offset inside a character', new TextEncoder().encode('ö'), Uint32Array.of(0, 1, 2)],
  ];

  it.each(CASES)('%s', async (_, b, o) => {
    const model = native.ModelTokenizer.fromFile(TOKENIZER_FILE);
    const bpe = native.BpeEncoding.load('cl100k');
    const three = Uint32Array.of(1, 2, 3).subarray(0, Math.max(0, o.length - 1));
    expect(await codeOf(() => model.countRows(b, o))).toBe(ARGUMENT);
    expect(await codeOf(() => model.encodeRows(b, o, false))).toBe(ARGUMENT);
    expect(await codeOf(() => model.encodePairs('q', b, o))).toBe(ARGUMENT);
    expect(await codeOf(() => bpe.countRows(b, o))).toBe(ARGUMENT);
    expect(await codeOf(() => bpe.encodeRows(b, o))).toBe(ARGUMENT);
    expect(await codeOf(() => writer.add(three, b, o))).toBe(ARGUMENT);
  });

  it('more or fewer labels than rows', async () => {
    expect(await codeOf(() => writer.add(Uint32Array.of(9), bytes, offsets))).toBe(ARGUMENT);
    const graph = await filledGraph();
    const flat = filledFlat();
    for (const wrong of [Float32Array.of(1), Float32Array.of(1, 2, 3), new Float32Array(0)]) {
      expect(await codeOf(() => graph.insert(Uint32Array.of(9), wrong, 1))).toBe(ARGUMENT);
      expect(await codeOf(() => flat.append(Uint32Array.of(9), wrong))).toBe(ARGUMENT);
    }
    expect(await codeOf(() => graph.search(Float32Array.of(1, 2, 3), 1, 10, 1, null))).toBe(ARGUMENT);
    expect(await codeOf(() => flat.search(rows, 1, 1, null))).toBe(ARGUMENT);
    expect(await codeOf(() => flat.search(new Float32Array(0), 1, 1, null))).toBe(ARGUMENT);
  });
});

describe('refuses', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38])(
    '%s in a vector',
    async (value) => {
      const graph = await filledGraph();
      const flat = filledFlat();
      const bad = Float32Array.of(1, value);
      expect(await codeOf(() => graph.insert(Uint32Array.of(9), bad, 1))).toBe(ARGUMENT);
      expect(await codeOf(() => graph.search(bad, 1, 10, 1, null))).toBe(ARGUMENT);
      expect(await codeOf(() => flat.append(Uint32Array.of(9), bad))).toBe(ARGUMENT);
      expect(await codeOf(() => flat.search(bad, 1, 1, null))).toBe(ARGUMENT);
      expect([graph.size, flat.size]).toEqual([3, 3]);
    },
  );

  it.each([-1, 1.5, Number.NaN, 2 ** 32, '1', null, undefined, {}])('%s as a count', async (value) => {
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
    const bad = value as any;
    const graph = await filledGraph();
    expect(await codeOf(() => graph.search(rows, bad, 10, 1, null))).toBe(ARGUMENT);
    expect(await codeOf(() => graph.search(rows, 1, bad, 1, null))).toBe(ARGUMENT);
    expect(await codeOf(() => graph.search(rows, 1, 10, bad, null))).toBe(ARGUMENT);
    expect(await codeOf(() => filledFlat().search(Float32Array.of(1, 1), bad, 1, null))).toBe(ARGUMENT);
    expect(await codeOf(() => reader.search('x', bad, null))).toBe(ARGUMENT);
    expect(await codeOf(() => native.FlatVectors.create(bad, 'ip', 'float32'))).toBe(ARGUMENT);
    expect(await codeOf(() => native.VectorGraph.create(bad, 'ip', 'float32', 8, 50, 1))).toBe(ARGUMENT);
  });

  it('a metric, a path, a query of another type', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
    const bad = 7 as any;
    expect(await codeOf(() => native.FlatVectors.create(2, bad, 'float32'))).toBe(ARGUMENT);
    expect(await codeOf(() => native.FlatVectors.create(2, 'euclid' as 'ip', 'float32'))).toBe(ARGUMENT);
    expect(await codeOf(() => native.VectorGraph.load(bad, 2, 'ip', 2))).toBe(ARGUMENT);
    expect(await codeOf(() => native.KeywordReader.open(bad))).toBe(ARGUMENT);
    expect(await codeOf(() => native.ModelTokenizer.fromFile(bad))).toBe(ARGUMENT);
    expect(await codeOf(() => native.BpeEncoding.load('p50k' as 'o200k'))).toBe(ARGUMENT);
    expect(await codeOf(() => native.analyze(bad))).toBe(ARGUMENT);
    expect(await codeOf(() => native.tryLockFile(bad))).toBe(ARGUMENT);
    expect(await codeOf(() => reader.search(bad, 1, null))).toBe(ARGUMENT);
    expect(await codeOf(() => writer.commit(bad))).toBe(ARGUMENT);
  });

  it('says what was expected and what came', async () => {
    const flat = native.FlatVectors.create(2, 'ip', 'float32');
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
    expect(() => flat.append([1] as any, rows)).toThrow('labels: expected a Uint32Array, got object');
    const floats = Float32Array.of(1);
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
    expect(() => flat.append(floats as any, rows)).toThrow(
      'labels: expected a Uint32Array, got Float32Array',
    );
    expect(() => flat.append(detached(labels), rows)).toThrow('labels: the Uint32Array is detached');
    expect(() => flat.append(labels, Float32Array.of(1))).toThrow(
      'vectors: expected 3 labels × 2 dims, got 1 numbers',
    );
  });
});
