/** Filters through a whole store: file and tail, replacements, removals, purges, readers that lag, damaged files. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/model/document.js';
import type { Filter } from '../../src/model/filter.js';
import type { Store, StoreReader, StoreWriter } from '../../src/model/store.js';
import { evaluateFilter } from '../../src/store/filter/evaluate.js';
import { parseFilter } from '../../src/store/filter/parse.js';
import { createOrOpenStore, type StoreOptions } from '../../src/store/index.js';
import { deleteDead } from '../../src/store/purge.js';
import { openForWriting } from '../../src/store/schema.js';
import { published } from './reading.js';
import { batch, document, newFolder, newStore, passport } from './support.js';

interface PlainDocument {
  chunks: number;
  metadata: Metadata;
}
type State = Map<string, PlainDocument>;

type Operation =
  | { kind: 'commit'; put: { id: number; chunks: number; v: unknown }[]; remove: number[] }
  | { kind: 'publish' | 'refresh' | 'reopen' | 'damage' };

const IDS = 14;
/** More by hand: SLUICE_TEST_RUNS=100. */
const RUNS = Number(process.env.SLUICE_TEST_RUNS ?? 3);
const FILTERS: Filter[] = [
  {},
  { v: 1 },
  { v: { gte: 1 } },
  { v: { prefix: 'a' } },
  { v: { contains: ['a', 1] } },
  { not: { v: ['a', null] } },
  { v: { exists: false } },
  { $id: { gte: 'd5' } },
  { as_of: '2024-01-01' },
];

const value = fc.constantFrom(0, 1, 'a', 'ab', null, true, ['a', 1], [], undefined, '2024-01-01');
const put = fc.record({ id: fc.nat(IDS - 1), chunks: fc.nat(3), v: value });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      put: fc.uniqueArray(put, { maxLength: 8, selector: ({ id }) => id }),
      remove: fc.array(fc.nat(IDS - 1), { maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'publish' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'refresh' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'damage' as const }) },
);

/** Two readers of a store, of which one is refreshed now and then, and the plain model of every generation. */
class Harness {
  readonly #folder = newFolder();
  readonly #options: StoreOptions;
  readonly #states = new Map<number, State>([[0, new Map()]]);
  #store!: Store;
  #reader!: StoreReader;
  #writer!: StoreWriter;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#store = await createOrOpenStore(this.#folder, {
      passport: passport(),
      threads: 2,
      ...this.#options,
    });
    this.#writer = await this.#store.writer();
    this.#reader = await this.#store.reader();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async run(operation: Operation): Promise<void> {
    if (operation.kind === 'publish') await this.#writer.publish();
    if (operation.kind === 'refresh') await this.#reader.refresh();
    if (operation.kind === 'commit') await this.#commit(operation);
    if (operation.kind === 'damage') this.#damage();
    if (operation.kind === 'reopen') {
      await this.close();
      await this.open();
    }
    await this.check(this.#reader);
  }

  /** What a new reader sees must be what the old one sees after a refresh. */
  async checkFresh(): Promise<void> {
    const fresh = await this.#store.reader();
    await this.check(fresh);
    await fresh.close();
  }

  async check(reader: StoreReader): Promise<void> {
    const state = this.#states.get(reader.generation)!;
    for (const filter of FILTERS) {
      const node = parseFilter(filter);
      const expected = [...state]
        .filter(([id, { metadata }]) =>
          evaluateFilter(node, { id, source: id, title: id, format: 'text', metadata }),
        )
        .map(([id, { chunks }]) => ({ id, chunks }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      const chunks = expected.reduce((sum, document) => sum + document.chunks, 0);
      if (needsField(filter) && ![...state.values()].some(({ metadata }) => metadata.v !== undefined)) {
        await expect(reader.count(filter)).rejects.toMatchObject({ code: 'SLUICE_FILTER_UNKNOWN_FIELD' });
        continue;
      }
      expect(await reader.count(filter)).toEqual({ documents: expected.length, chunks });
      const listed = await reader.list(filter, undefined, 100);
      expect(listed.map(({ id, chunks }) => ({ id, chunks }))).toEqual(expected);
      const { bits, count } = await reader.select(filter);
      expect(count).toBe(chunks);
      const labels = Array.from({ length: bits.length * 8 }, (_, label) => label).filter(
        (label) => (bits[label >> 3]! >> (label & 7)) & 1,
      );
      const owners = (await reader.chunks(Uint32Array.from(labels))).map((chunk) => chunk.documentId).sort();
      expect(owners).toEqual(expected.flatMap(({ id, chunks }) => Array<string>(chunks).fill(id)).sort());
    }
  }

  async #commit({ put, remove }: Extract<Operation, { kind: 'commit' }>): Promise<void> {
    const state = new Map(this.#states.get(this.#writer.generation)!);
    const documents = put.map(({ id, chunks, v }) => {
      const metadata = (v === undefined ? {} : { v }) as Metadata;
      return document(`d${id}`, Array<string>(chunks).fill('word'), { metadata });
    });
    for (const id of remove) state.delete(`d${id}`);
    for (const { id, chunks, v } of put) {
      state.set(`d${id}`, { chunks, metadata: (v === undefined ? {} : { v }) as Metadata });
    }
    await this.#writer.commit(
      batch(
        documents,
        remove.map((id) => `d${id}`),
      ),
    );
    this.#states.set(this.#writer.generation, state);
  }

  #damage(): void {
    const folder = join(this.#folder, 'filters');
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      // As another process would: readers keep the old file, which is mapped.
      const bytes = readFileSync(join(folder, name));
      bytes[bytes.length >> 1]! ^= 1;
      rmSync(join(folder, name));
      writeFileSync(join(folder, name), bytes);
    }
  }
}

function needsField(filter: Filter): boolean {
  return JSON.stringify(filter).includes('"v"');
}

describe('filters of a store', () => {
  it.each([
    ['all in memory', 1_000],
    ['a file and a tail', 3],
  ])(
    'are those of the plain model, %s',
    async (_name, filterThreshold) => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
          const harness = new Harness({ filterThreshold });
          await harness.open();
          try {
            for (const one of operations) await harness.run(one);
            await harness.run({ kind: 'publish' });
            await harness.run({ kind: 'refresh' });
            await harness.checkFresh();
          } finally {
            await harness.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
    120_000,
  );

  it.each([
    ['a file', 5],
    ['memory', 1_000],
  ])(
    'outlive a purge of documents that died since a reader looked, from %s',
    async (_name, filterThreshold) => {
      const folder = newFolder();
      const store = await newStore({ filterThreshold }, folder);
      const many = (from: number, n: number) =>
        Array.from({ length: 10 }, (_, i) =>
          document(`d${from + i}`, Array<string>(120).fill('word'), { metadata: { n } }),
        );
      const writer = await store.writer();
      await writer.commit(batch(many(0, 1)));
      await writer.publish();
      const old = await store.reader();
      expect(await old.count({ n: 1 })).toEqual({ documents: 10, chunks: 1_200 });
      // Few documents die, so the file stays as it is, but they are most of the chunks.
      await writer.commit(
        batch([document('d10', ['x'], { metadata: { n: 2 } })], ['d0', 'd1', 'd2', 'd3', 'd4']),
      );
      await writer.publish();
      await writer.commit(batch([document('d11', ['x'], { metadata: { n: 2 } })], ['d5', 'd6', 'd7', 'd8']));
      await writer.publish();
      // A publish would spare what a reader still holds; compacting does not.
      const db = openForWriting(join(folder, 'sluice.db'));
      deleteDead(db, writer.generation);
      expect(db.prepare('SELECT count(*) FROM documents WHERE died IS NOT NULL').pluck().get()).toBe(0);
      db.close();
      await old.refresh();
      const fresh = await store.reader();
      for (const reader of [old, fresh]) {
        expect(await reader.count({ n: 1 })).toEqual({ documents: 1, chunks: 120 });
        expect(await reader.count({ n: 2 })).toEqual({ documents: 2, chunks: 2 });
      }
    },
  );

  it('come from memory where the file is damaged, which is told until a new one is there', async () => {
    const folder = newFolder();
    const store = await newStore({ filterThreshold: 2 }, folder);
    const documents = Array.from({ length: 6 }, (_, i) => document(`d${i}`, ['x'], { metadata: { i } }));
    const sound = await published(store, batch(documents));
    expect((await sound.stats()).problems).toEqual([]);
    expect((await sound.stats()).bytes.filters).toBeGreaterThan(500);
    const file = join(folder, 'filters', '1.cols');
    writeFileSync(file, readFileSync(file).subarray(0, 400));
    const damaged = await store.reader();
    expect(await damaged.count({ i: { gt: 2 } })).toEqual({ documents: 3, chunks: 3 });
    expect((await damaged.stats()).problems).toEqual([
      expect.stringMatching(/filter file .*1\.cols is damaged: .*; filters work from memory/),
    ]);
    const repaired = await published(store, batch([document('d9', ['x'], { metadata: { i: 9 } })]));
    await damaged.refresh();
    for (const reader of [damaged, repaired]) {
      expect(await reader.count({ i: { gt: 2 } })).toEqual({ documents: 4, chunks: 4 });
      expect((await reader.stats()).problems).toEqual([]);
    }
    expect(readdirSync(join(folder, 'filters'))).toEqual(['2.cols']);
  });
});

describe('facets', () => {
  it('count what a filter allows', async () => {
    const store = await newStore();
    const reader = await published(
      store,
      batch([
        document('a', ['x', 'y'], { metadata: { tags: ['red', 'blue', 'red'], lang: 'en' } }),
        document('b', ['x'], { metadata: { tags: ['blue', 1, null, true], lang: 'en' } }),
        document('c', ['x'], { metadata: { tags: 'red', lang: 'de' } }),
        document('d', [], { metadata: { tags: [], lang: 'fr' } }),
      ]),
    );
    expect(await reader.facets('tags', { lang: ['en', 'de'] }, 3)).toEqual({
      values: [
        { value: 'blue', documents: 2, chunks: 3 },
        { value: 'red', documents: 2, chunks: 3 },
        { value: null, documents: 1, chunks: 1 },
      ],
      distinct: 5,
    });
    expect((await reader.facets('$format', undefined, 10)).values).toEqual([
      { value: 'text', documents: 4, chunks: 4 },
    ]);
    expect(await reader.facets('lang', { tags: 'green' }, 10)).toEqual({ values: [], distinct: 0 });
    await expect(reader.facets('lnag', undefined, 10)).rejects.toMatchObject({
      code: 'SLUICE_FILTER_UNKNOWN_FIELD',
      details: { field: 'lnag', suggestions: ['lang'] },
    });
    await expect(reader.facets('lang', undefined, -1)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });
});

describe('a list of documents', () => {
  it('goes on over commits without missing or repeating one that stayed', async () => {
    const store = await newStore({ filterThreshold: 4 });
    const put = (ids: number[], n: number) =>
      batch(ids.map((id) => document(`d${String(id).padStart(3, '0')}`, ['x'], { metadata: { n } })));
    const writer = await store.writer();
    const reader = await store.reader();
    await writer.commit(
      put(
        Array.from({ length: 30 }, (_, i) => i * 2),
        0,
      ),
    );
    await writer.publish();
    const seen: string[] = [];
    for (let page = 0; page < 20; page++) {
      await reader.refresh();
      const entries = await reader.list({ n: { gte: 0 } }, seen.at(-1), 4);
      if (entries.length === 0) break;
      seen.push(...entries.map(({ id }) => id));
      // Others come, some are written anew with other keys and labels, some go.
      await writer.commit({ ...put([page * 2 + 1, 58 - page], page), removeDocuments: [`d${90 + page}`] });
      await writer.publish();
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([...seen].sort()).toEqual(seen);
    for (let i = 0; i < 30; i++) expect(seen).toContain(`d${String(i * 2).padStart(3, '0')}`);
  });

  it('tells what documents are, in pieces and by code point', async () => {
    const store = await newStore();
    const ids = [...Array.from({ length: 600 }, (_, i) => `x${i}`), '\uffff', '😀'];
    const reader = await published(
      store,
      batch(ids.map((id, i) => document(id, Array<string>(i % 3).fill('w'), { metadata: { i } }))),
    );
    const entries = await reader.list(undefined, undefined, 1_000);
    const expected = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(entries.map(({ id }) => id)).toEqual(expected);
    expect(entries.at(-1)).toEqual({
      id: '😀',
      source: '😀',
      title: '😀',
      format: 'text',
      metadata: { i: 601 },
      chunks: 1,
    });
    expect((await reader.list({ i: { lt: 2 } }, 'x0', 10)).map(({ id }) => id)).toEqual(['x1']);
    expect(await reader.list(undefined, undefined, 0)).toEqual([]);
  });
});

describe('large filters', () => {
  it('take 100,000 values', async () => {
    const store = await newStore();
    const reader = await published(
      store,
      batch([
        document('a', ['x'], { metadata: { n: 99_999 } }),
        document('b', ['x'], { metadata: { n: 'v"3' } }),
      ]),
    );
    const numbers = Array.from({ length: 100_000 }, (_, i) => i);
    expect((await reader.select({ n: numbers })).count).toBe(1);
    const texts = numbers.map((i) => `v"${i}`);
    expect((await reader.select({ or: [{ not: { n: texts } }, { n: { contains: texts } }] })).count).toBe(1);
  });
});
