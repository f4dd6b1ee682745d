import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoreReader } from '../../src/model/store.js';
import { openStore, type StoreOptions } from '../../src/store/index.js';
import { batch, document, newFolder, newStore, vectorOf } from './support.js';

const GRAPH: StoreOptions = { graphThreshold: 20 };

async function graphed(count: number, options: StoreOptions = GRAPH): Promise<string> {
  const folder = newFolder();
  const store = await newStore(options, folder);
  const writer = await store.writer();
  for (let from = 0; from < count; from += 16) {
    const some = Array.from({ length: Math.min(16, count - from) }, (_, i) => `d${from + i}`);
    await writer.commit(batch(some.map((id) => document(id, [`alpha ${id}`]))));
  }
  await writer.publish();
  await store.close();
  return folder;
}

async function withReader<T>(
  folder: string,
  options: StoreOptions,
  use: (reader: StoreReader) => Promise<T>,
): Promise<T> {
  const store = await openStore(folder, options);
  try {
    return await use(await store.reader());
  } finally {
    await store.close();
  }
}

async function topTen(reader: StoreReader): Promise<number[]> {
  return [...(await reader.searchVectors(vectorOf('query'), 10, await reader.select(undefined))).labels];
}

describe.each(['int8', 'float32'] as const)('a damaged %s graph', (vectorPrecision) => {
  it('is scanned around, reported, and written anew by the next publish (I7)', async () => {
    const options: StoreOptions = { ...GRAPH, vectorPrecision };
    const folder = await graphed(100, options);
    const [name] = readdirSync(join(folder, 'graph')).filter((file) => /\.(graph|hnsw)$/.test(file));
    const file = join(folder, 'graph', name!);
    const whole = readFileSync(file);
    const expected = await withReader(folder, options, topTen);
    const damages: (() => void)[] = [
      ...[0, 1, 8, 15].map((sixteenth) => () => truncateSync(file, (whole.length * sixteenth) >> 4)),
      ...[0, 40, whole.length >> 1, whole.length - 1].map((at) => () => {
        const flipped = Buffer.from(whole);
        flipped[at]! ^= 0xff;
        writeFileSync(file, flipped);
      }),
      ...(vectorPrecision === 'float32' ? [() => rmSync(file)] : []),
      ...(vectorPrecision === 'float32'
        ? [() => writeFileSync(file.replace('.hnsw', '.json'), '{ half')]
        : []),
    ];
    for (const damage of damages) {
      writeFileSync(file, whole);
      damage();
      await withReader(folder, options, async (reader) => {
        expect(await topTen(reader)).toEqual(expected);
        const stats = await reader.stats();
        expect(stats).toMatchObject({ graphVectors: 0, tailVectors: 100 });
        expect(stats.problems![0]).toMatch(/the graph file .* is damaged: .*/);
      });
    }
    const store = await openStore(folder, options);
    const writer = await store.writer();
    await writer.publish();
    await writer.close();
    const reader = await store.reader();
    expect(await reader.stats()).toMatchObject({ graphVectors: 100, tailVectors: 0, problems: [] });
    await store.close();
  });
});

describe('the keyword index', () => {
  it.each([
    ['is missing', (folder: string) => rmSync(join(folder, 'keywords'), { recursive: true })],
    ['lost its meta file', (folder: string) => rmSync(join(folder, 'keywords', 'meta.json'))],
    ['has a broken meta file', (folder: string) => writeFileSync(join(folder, 'keywords', 'meta.json'), '{')],
    [
      'lost a segment',
      (folder: string) => {
        for (const name of readdirSync(join(folder, 'keywords'))) {
          if (/\.(term|idx|store|fast|fieldnorm|pos)$/.test(name)) rmSync(join(folder, 'keywords', name));
        }
      },
    ],
  ])('is built anew when it %s', async (_name, damage) => {
    const folder = newFolder();
    const store = await newStore({}, folder);
    const writer = await store.writer();
    const keywordText = (chunk: string) => `prefix ${chunk}`;
    await writer.commit(
      batch([document('a', ['alpha one', 'alpha two'], { keywordText }), document('b', ['alpha'])]),
    );
    await writer.commit(batch([document('c', ['不同'], { keywordText: () => 'cut words' })], ['b']));
    await writer.publish();
    await store.close();
    damage(folder);
    await expect(withReader(folder, { readonly: true }, async () => {})).rejects.toMatchObject({
      code: 'SLUICE_INDEX_CORRUPT',
    });
    await withReader(folder, {}, async (reader) => {
      const all = await reader.select(undefined);
      expect([...(await reader.searchKeywords('alpha', 9, all)).labels].sort()).toEqual([1, 2]);
      expect([...(await reader.searchKeywords('prefix', 9, all)).labels].sort()).toEqual([1, 2]);
      expect([...(await reader.searchKeywords('words', 9, all)).labels]).toEqual([4]);
      expect((await reader.stats()).problems![0]).toMatch(/the keyword index was built anew at generation 2/);
    });
  });

  it("of another index is not taken for one's own", async () => {
    const [one, other] = [await graphed(5), await graphed(9)];
    rmSync(join(one, 'keywords'), { recursive: true });
    cpSync(join(other, 'keywords'), join(one, 'keywords'), { recursive: true });
    await withReader(one, {}, async (reader) => {
      expect((await reader.searchKeywords('alpha', 20, await reader.select(undefined))).labels).toHaveLength(
        5,
      );
    });
  });
});

describe('around the graph threshold (S1)', () => {
  it.each([19, 20, 21, 63, 200])('%i chunks give the same after reopening', async (count) => {
    const folder = newFolder();
    const store = await newStore(GRAPH, folder);
    const reader = await store.reader();
    const writer = await store.writer();
    for (let i = 0; i < count; i += 10) {
      const ids = Array.from({ length: Math.min(10, count - i) }, (_, j) => `d${i + j}`);
      await writer.commit(batch(ids.map((id) => document(id, [`alpha ${id}`]))));
      if (i % 40 === 0) await writer.publish();
    }
    await writer.publish();
    await reader.refresh();
    const before = await topTen(reader);
    expect(before).toHaveLength(10);
    await store.close();
    await withReader(folder, GRAPH, async (again) => {
      expect(await topTen(again)).toEqual(before);
      const stats = await again.stats();
      expect(stats.graphVectors + stats.tailVectors).toBe(count);
      expect(stats.graphVectors > 0).toBe(count > 20);
    });
    const vectors = Array.from({ length: count }, (_, i) => vectorOf(`alpha d${i}`));
    const query = vectorOf('query');
    const score = (label: number) =>
      vectors[label - 1]!.reduce((sum, value, i) => sum + value * query[i]!, 0);
    const exact = vectors.map((_, i) => i + 1).sort((a, b) => score(b) - score(a));
    expect(before).toEqual(exact.slice(0, 10));
  });

  it('keeps one graph on disk', async () => {
    const folder = newFolder();
    const store = await newStore(GRAPH, folder);
    const writer = await store.writer();
    for (let round = 0; round < 4; round++) {
      const ids = Array.from({ length: 25 }, (_, i) => `d${round * 25 + i}`);
      await writer.commit(batch(ids.map((id) => document(id, [`alpha ${id}`]))));
      await writer.publish();
      expect(readdirSync(join(folder, 'graph'))).toEqual([`${round + 1}.graph`]);
    }
    await store.close();
  });

  it('builds a graph of another precision or shape anew, at the same generation', async () => {
    const folder = await graphed(60);
    const files = () => readdirSync(join(folder, 'graph')).sort();
    const expected = await withReader(folder, GRAPH, topTen);
    const published = async (options: StoreOptions) => {
      const store = await openStore(folder, { ...GRAPH, ...options });
      const reader = await store.reader();
      const writer = await store.writer();
      await writer.publish();
      // The reader still maps the old file, whose name is gone.
      expect(await topTen(reader)).toEqual(expected);
      await reader.refresh();
      expect(await topTen(reader)).toEqual(expected);
      await store.close();
    };
    const bytes = () => statSync(join(folder, 'graph', files()[0]!)).size;
    expect(files()).toEqual(['4.graph']);
    const before = bytes();
    await published({ graphLinks: 8 });
    expect(files()).toEqual(['4.graph']);
    expect(bytes()).toBeLessThan(before);
    await published({ vectorPrecision: 'float32' });
    expect(files()).toEqual(['4.hnsw', '4.json']);
    // What is not named stays as it was made.
    await published({});
    expect(files()).toEqual(['4.hnsw', '4.json']);
    await published({ vectorPrecision: 'int8', graphLinks: 16 });
    expect(files()).toEqual(['4.graph']);
    expect(bytes()).toBe(before);
  });
});

describe('after overwriting, deleting and inserting again (F5, I3, I4, I9)', () => {
  it('k allowed chunks come back, and each vector finds itself', async () => {
    const folder = newFolder();
    const options = { graphThreshold: 50 };
    const store = await newStore(options, folder);
    const writer = await store.writer();
    const live = new Map<string, string>();
    const putAll = async (ids: string[], version: number) => {
      for (const id of ids) live.set(id, `alpha ${id} v${version}`);
      const metadata = (id: string) => ({ group: Number(id.slice(1)) % 3 });
      await writer.commit(batch(ids.map((id) => document(id, [live.get(id)!], { metadata: metadata(id) }))));
    };
    const ids = Array.from({ length: 400 }, (_, i) => `d${i}`);
    await putAll(ids, 1);
    await writer.publish();
    await putAll(ids.slice(0, 120), 2);
    await writer.publish();
    const gone = ids.slice(200, 320);
    for (const id of gone) live.delete(id);
    await writer.commit(batch([], gone));
    await writer.publish();
    await putAll(gone.slice(0, 60).reverse(), 3);
    await writer.publish();
    await writer.close();
    const reader = await store.reader();
    expect((await reader.stats()).chunks).toBe(live.size);
    for (const group of [0, 1, 2, undefined]) {
      const allowed = await reader.select(group === undefined ? undefined : { group });
      const expected = [...live.keys()].filter(
        (id) => group === undefined || Number(id.slice(1)) % 3 === group,
      );
      expect(allowed.count).toBe(expected.length);
      for (const k of [10, allowed.count, allowed.count + 5]) {
        const hits = await reader.searchVectors(vectorOf(`q${k}`), k, allowed);
        expect(hits.labels).toHaveLength(Math.min(k, allowed.count));
        const found = (await reader.chunks(hits.labels)).map((chunk) => chunk.documentId);
        expect(new Set(found).size).toBe(found.length);
        for (const id of found) expect(expected).toContain(id);
      }
    }
    const all = await reader.select(undefined);
    for (const [id, text] of live) {
      const [best] = await reader.chunks((await reader.searchVectors(vectorOf(text), 1, all)).labels);
      expect(best!.documentId).toBe(id);
    }
  });

  it('the database stays bounded under rewriting (S6)', async () => {
    const folder = newFolder();
    const store = await newStore({ graphThreshold: 200 }, folder);
    const writer = await store.writer();
    const long = 'alpha bravo charlie '.repeat(20);
    const sizes: number[] = [];
    const round = (n: number) =>
      Array.from({ length: 600 }, (_, i) => document(`d${i}`, [`${long} ${n} ${i}`]));
    for (let n = 0; n < 12; n++) {
      await writer.commit(batch(round(n)));
      await writer.publish();
      sizes.push(statSync(join(folder, 'sluice.db')).size);
    }
    await store.close();
    sizes.push(statSync(join(folder, 'sluice.db')).size);
    // One round is live, one may still be read, one is being written.
    const once = newFolder();
    const plain = await newStore({}, once);
    await (await plain.writer()).commit(batch(round(0)));
    await plain.close();
    expect(Math.max(...sizes)).toBeLessThan(statSync(join(once, 'sluice.db')).size * 4);
    await withReader(folder, {}, async (reader) => {
      const all = await reader.select(undefined);
      expect(all.count).toBe(600);
      for (const text of [`${long} 11 0`, `${long} 11 599`]) {
        const hits = await reader.searchVectors(vectorOf(text), 700, all);
        expect(hits.labels).toHaveLength(600);
        expect((await reader.chunks(hits.labels.slice(0, 1)))[0]!.text).toBe(text);
      }
    });
  });
});
