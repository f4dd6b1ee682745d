import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoreWriter, TextsToEmbed } from '../../src/model/store.js';
import { textAt } from '../../src/model/text-column.js';
import { openStore, type StoreOptions, verifyIndex } from '../../src/store/index.js';
import { openForReading } from '../../src/store/schema.js';
import { batch, document, newFolder, newStore, passport, vectorOf } from './support.js';

const NEW_DIMS = 12;
const NEXT = passport({}, NEW_DIMS);
NEXT.embedder = { ...NEXT.embedder, model: 'letters-2' };
const GRAPH: StoreOptions = { graphThreshold: 20, threads: 1 };

const documents = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    document(`d${i}`, [`alpha ${i}`, `beta ${i}`], { metadata: { i } }),
  );

async function filled(options: StoreOptions = {}) {
  const folder = newFolder();
  const store = await newStore(options, folder);
  const writer = await store.writer();
  await writer.commit(batch(documents(30)));
  await writer.publish();
  await writer.commit(batch([document('d3', ['gamma'])], ['d4']));
  await writer.publish();
  return { folder, store, writer };
}

function tablesOf(folder: string): string[] {
  const db = openForReading(join(folder, 'sluice.db'));
  try {
    return db.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  } finally {
    db.close();
  }
}

const newVector = (text: string) => vectorOf(`new ${text}`, NEW_DIMS);

/** Gives vectors to up to `most` chunks; returns how many got one. */
async function reembed(writer: StoreWriter, most = Number.POSITIVE_INFINITY): Promise<number> {
  let made = 0;
  for (;;) {
    const portion: TextsToEmbed = await writer.nextToReembed(Math.min(7, most - made));
    const rows = portion.labels.length;
    if (rows === 0) return made;
    const data = new Float32Array(rows * NEW_DIMS);
    for (let row = 0; row < rows; row++) data.set(newVector(textAt(portion.texts, row)), row * NEW_DIMS);
    await writer.addReembedded(portion.labels, { rows, dims: NEW_DIMS, data });
    made += rows;
    if (made >= most) return made;
  }
}

describe('re-embedding', () => {
  it('leaves the old vectors in use until it is finished, then has new ones of other dimensions', async () => {
    const { folder, store, writer } = await filled();
    const reader = await store.reader();
    expect(await writer.beginReembedding(NEXT.embedder)).toEqual({ total: 57, done: 0 });
    expect(await reembed(writer)).toBe(57);
    const old = await reader.select(undefined);
    expect((await reader.searchVectors(vectorOf('alpha 7'), 1, old)).scores[0]).toBeCloseTo(1, 5);
    await writer.finishReembedding(NEXT);
    await store.close();
    const again = await openStore(folder);
    expect(again.passport.embedder).toEqual(NEXT.embedder);
    const moved = await again.reader();
    const all = await moved.select(undefined);
    expect(all.count).toBe(57);
    for (const text of ['alpha 7', 'beta 29', 'gamma']) {
      const { labels, scores } = await moved.searchVectors(newVector(text), 1, all);
      expect(scores[0]).toBeCloseTo(1, 5);
      expect((await moved.chunks(labels))[0]!.text).toBe(text);
    }
    expect((await moved.searchKeywords('gamma', 5, all)).labels).toHaveLength(1);
    const next = await again.writer();
    await next.commit(batch([document('new', ['delta'], { dims: NEW_DIMS, vector: newVector })]));
    await next.publish();
    await moved.refresh();
    expect((await moved.stats()).chunks).toBe(58);
    await again.close();
  });

  it('goes on where it stopped, also past documents that were added or removed in between', async () => {
    const { folder, store, writer } = await filled();
    await writer.beginReembedding(NEXT.embedder);
    expect(await reembed(writer, 20)).toBe(20);
    await store.close();
    const again = await openStore(folder);
    const next = await again.writer();
    await next.commit(batch([document('late', ['delta'])], ['d0', 'd29']));
    const state = await next.beginReembedding(NEXT.embedder);
    expect(state).toEqual({ total: 54, done: 18 });
    expect(await reembed(next)).toBe(36);
    await next.finishReembedding(NEXT);
    await again.close();
    const moved = await (await openStore(folder)).reader();
    const all = await moved.select(undefined);
    expect((await moved.searchVectors(newVector('delta'), 1, all)).scores[0]).toBeCloseTo(1, 5);
    expect((await moved.searchVectors(newVector('x'), 99, all)).labels).toHaveLength(54);
    await moved.close();
  });

  it('begins anew for yet another model', async () => {
    const { store, writer } = await filled();
    await writer.beginReembedding(NEXT.embedder);
    await reembed(writer, 20);
    const third = { ...NEXT.embedder, model: 'letters-3' };
    expect((await writer.beginReembedding(third)).done).toBe(0);
    await store.close();
  });

  it('is not finished while a vector is missing', async () => {
    const { store, writer } = await filled();
    await writer.beginReembedding(NEXT.embedder);
    await reembed(writer, 20);
    await expect(writer.finishReembedding(NEXT)).rejects.toThrow(/37 chunks have no new vector/);
    const reader = await store.reader();
    const all = await reader.select(undefined);
    expect((await reader.searchVectors(vectorOf('alpha 7'), 1, all)).scores[0]).toBeCloseTo(1, 5);
    await store.close();
  });

  it('shuts out readers and writers of the old vectors, and never mixes the two', async () => {
    const { folder, store, writer } = await filled(GRAPH);
    const other = await openStore(folder, GRAPH);
    const late = await openStore(folder, GRAPH);
    const reader = await other.reader();
    const few = await reader.select({ i: { lt: 2 } });
    const some = await reader.select(undefined);
    expect((await reader.stats()).graphVectors).toBeGreaterThan(0);
    await writer.beginReembedding(NEXT.embedder);
    await reembed(writer);
    await writer.finishReembedding(NEXT);
    const refused = { code: 'SLUICE_PASSPORT_MISMATCH', details: { field: 'vectorsEpoch' } };
    for (const set of [few, some]) {
      await expect(reader.searchVectors(vectorOf('alpha 1'), 3, set)).rejects.toMatchObject(refused);
    }
    expect(await reader.isStale()).toBe(true);
    await expect(reader.refresh()).rejects.toThrow(
      /the index \/.* was re-embedded with another model, .+; open it again/,
    );
    await expect(writer.commit(batch([document('d', ['x'])]))).rejects.toMatchObject(refused);
    await expect(writer.publish()).rejects.toMatchObject(refused);
    await store.close();
    await expect(late.writer()).rejects.toMatchObject(refused);
    await expect(late.reader()).rejects.toMatchObject(refused);
    await Promise.all([other.close(), late.close()]);
  });

  it('has the new graph as soon as it has the new vectors, and the old one until then', async () => {
    const { folder, store, writer } = await filled(GRAPH);
    const graphs = () => readdirSync(join(folder, 'graph'));
    const [old] = graphs();
    const before = await store.reader();
    await writer.beginReembedding(NEXT.embedder);
    await reembed(writer);
    await writer.graphReembedded(NEW_DIMS);
    expect(graphs()).toContain(old);
    expect(graphs()).toHaveLength(2);
    // Neither readers of the old vectors nor a verification take it for theirs, or for damage.
    const between = await store.reader();
    await before.refresh();
    for (const reader of [before, between]) {
      expect(await reader.stats()).toMatchObject({ tailVectors: 1, graphVectors: 56, problems: [] });
      const all = await reader.select(undefined);
      expect((await reader.searchVectors(vectorOf('beta 5'), 1, all)).scores[0]).toBeCloseTo(1, 5);
    }
    expect((await verifyIndex(folder)).findings).toEqual([]);
    await writer.finishReembedding(NEXT);
    await store.close();
    expect(graphs()).toHaveLength(1);
    expect(graphs()).not.toContain(old);
    const again = await openStore(folder, GRAPH);
    const reader = await again.reader();
    expect(await reader.stats()).toMatchObject({ graphVectors: 57, tailVectors: 0, problems: [] });
    const all = await reader.select(undefined);
    for (const text of ['alpha 7', 'beta 5', 'gamma']) {
      const { labels, scores } = await reader.searchVectors(newVector(text), 1, all);
      expect(scores[0]).toBeCloseTo(1, 5);
      expect((await reader.chunks(labels))[0]!.text).toBe(text);
    }
    expect((await verifyIndex(folder)).findings).toEqual([]);
    expect(tablesOf(folder)).toContain('vectors_former');
    await (await again.writer()).publish();
    expect(tablesOf(folder).filter((name) => name.startsWith('vectors'))).toEqual(['vectors']);
    await again.close();
  });

  it('finds what is committed between the graph and the swap, and scans where it has no graph', async () => {
    for (const graphed of [true, false]) {
      const { folder, store, writer } = await filled(GRAPH);
      await writer.beginReembedding(NEXT.embedder);
      await reembed(writer);
      if (graphed) await writer.graphReembedded(NEW_DIMS);
      await writer.commit(batch([document('late', ['delta'])], ['d7']));
      // Those before were all given: what is new comes with another beginning.
      await writer.beginReembedding(NEXT.embedder);
      expect(await reembed(writer)).toBe(1);
      await writer.finishReembedding(NEXT);
      await store.close();
      const again = await openStore(folder, GRAPH);
      const reader = await again.reader();
      expect(await reader.stats()).toMatchObject({
        chunks: 56,
        graphVectors: graphed ? 55 : 0,
        problems: [],
      });
      const all = await reader.select(undefined);
      expect((await reader.searchVectors(newVector('delta'), 1, all)).scores[0]).toBeCloseTo(1, 5);
      expect((await reader.searchVectors(newVector('beta 5'), 99, all)).labels).toHaveLength(56);
      await again.close();
    }
  });

  it('that was killed before the swap leaves a graph that nobody uses, and the next publish removes', async () => {
    const { folder, store, writer } = await filled(GRAPH);
    await writer.beginReembedding(NEXT.embedder);
    await reembed(writer);
    await writer.graphReembedded(NEW_DIMS);
    await store.close();
    const again = await openStore(folder, GRAPH);
    const next = await again.writer();
    await next.commit(batch([document('more', ['epsilon'])]));
    await next.publish();
    expect(readdirSync(join(folder, 'graph'))).toHaveLength(1);
    const reader = await again.reader();
    expect(await reader.stats()).toMatchObject({ graphVectors: 56, tailVectors: 2, problems: [] });
    await again.close();
  });
});
