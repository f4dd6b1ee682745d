import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { idsOf, keywordIds, published } from './reading.js';
import { batch, DIMS, document, newStore, vectorOf } from './support.js';

describe('a reader', () => {
  it('sees nothing in a new index, and keeps its snapshot until it refreshes', async () => {
    const store = await newStore();
    const reader = await store.reader();
    expect(reader.generation).toBe(0);
    expect((await reader.select(undefined)).count).toBe(0);
    expect(await keywordIds(reader, 'alpha')).toEqual([]);
    expect(await reader.document('a')).toBeUndefined();
    const writer = await store.writer();
    await writer.commit(batch([document('a', ['alpha old'])]));
    await writer.publish();
    await reader.refresh();
    await writer.commit(batch([document('a', ['alpha new']), document('b', ['alpha more'])]));
    await writer.publish();
    expect((await reader.document('a'))!.text).toBe('alpha old');
    expect(await keywordIds(reader, 'alpha')).toEqual(['a']);
    expect((await reader.select(undefined)).count).toBe(1);
    expect((await reader.stats()).chunks).toBe(1);
    const vectors = await reader.searchVectors(vectorOf('x'), 5, await reader.select(undefined));
    expect(await idsOf(reader, vectors)).toEqual(['a']);
    await reader.refresh();
    expect(reader.generation).toBe(2);
    expect((await reader.document('a'))!.text).toBe('alpha new');
    expect(await keywordIds(reader, 'alpha')).toEqual(['a', 'b']);
  });

  it('brings no removed document back for a common word (K6)', async () => {
    const store = await newStore();
    const documents = Array.from({ length: 15 }, (_, i) =>
      document(`d${i}`, [i === 0 ? 'common rare' : 'common']),
    );
    const reader = await published(store, batch(documents), batch([], ['d7']));
    const found = await keywordIds(reader, 'rare common');
    expect(found).toHaveLength(14);
    expect(found).not.toContain('d7');
  });

  it('answers whatever k is (I1)', async () => {
    const store = await newStore();
    const reader = await published(store, batch(['a', 'b', 'c'].map((id) => document(id, [`alpha ${id}`]))));
    const all = await reader.select(undefined);
    const none = await reader.select({ $id: 'nobody' });
    expect(none.count).toBe(0);
    for (const [k, allowed, expected] of [
      [0, all, 0],
      [2, all, 2],
      [10, all, 3],
      [10, none, 0],
    ] as const) {
      expect((await reader.searchKeywords('alpha', k, allowed)).labels).toHaveLength(expected);
      expect((await reader.searchVectors(vectorOf('q'), k, allowed)).labels).toHaveLength(expected);
    }
    for (const k of [-1, 1.5, Number.NaN]) {
      await expect(reader.searchKeywords('alpha', k, all)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
      await expect(reader.searchVectors(vectorOf('q'), k, all)).rejects.toMatchObject({
        code: 'SLUICE_USAGE',
      });
    }
    const filled = (value: number) => new Float32Array(DIMS).fill(value);
    for (const query of [new Float32Array(3), filled(Number.NaN), filled(1e19)]) {
      await expect(reader.searchVectors(query, 1, all)).rejects.toMatchObject({
        code: 'SLUICE_EMBEDDING_INVALID',
      });
    }
  });

  it('lists on behind an id that it cannot show, as older releases stored some', async () => {
    const store = await newStore();
    const writer = await store.writer();
    await writer.commit(batch(['a', 'b\ud800', 'c', 'd'].map((id) => document(id, ['alpha']))));
    await writer.publish();
    const reader = await store.reader();
    const ids = async (limit: number) => (await reader.list(undefined, undefined, limit)).map(({ id }) => id);
    expect(await ids(2)).toEqual(['a', 'c']);
    expect(await ids(10)).toEqual(['a', 'c', 'd']);
  });

  it('is forgotten by its store once it is closed', async () => {
    const store = await newStore();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const closed = await (async () => {
      const reader = await store.reader();
      await reader.close();
      return new WeakRef(reader);
    })();
    for (let attempt = 0; attempt < 50 && closed.deref(); attempt++) {
      await delay(20);
      collect();
    }
    expect(closed.deref()).toBeUndefined();
    expect((await (await store.reader()).stats()).chunks).toBe(0);
  });

  it('finds what the filter allows, however badly it ranks (F1, F3)', async () => {
    const store = await newStore();
    const documents = Array.from({ length: 60 }, (_, i) => {
      const text = i % 2 ? 'term term term term term' : `term with a lot of other words around it ${i}`;
      return document(`d${i}`, [text], { metadata: { ok: i % 2 === 0 } });
    });
    const reader = await published(store, batch(documents));
    const allowed = await reader.select({ ok: true });
    expect(allowed.count).toBe(30);
    const hits = await reader.searchKeywords('term', 30, allowed);
    expect(hits.labels).toHaveLength(30);
    for (const chunk of await reader.chunks(hits.labels)) expect(chunk.metadata.ok).toBe(true);
    const farthest = await reader.select({ $id: 'd8' });
    const query = vectorOf('term term term term term');
    expect(await idsOf(reader, await reader.searchVectors(query, 2, farthest))).toEqual(['d8']);
    expect(await idsOf(reader, await reader.searchKeywords('term', 2, farthest))).toEqual(['d8']);
  });

  it('orders equal scores by label, every time (U4)', async () => {
    const store = await newStore({ graphThreshold: 10 });
    const twin = () => vectorOf('twin');
    const documents = Array.from({ length: 40 }, (_, i) =>
      document(`d${i}`, ['equal text'], { vector: twin }),
    );
    const reader = await published(store, batch(documents.slice(0, 30)), batch(documents.slice(30)));
    const all = await reader.select(undefined);
    const expected = Array.from({ length: 7 }, (_, i) => i + 1);
    for (let i = 0; i < 20; i++) {
      expect([...(await reader.searchKeywords('equal', 7, all)).labels]).toEqual(expected);
    }
    const first = [...(await reader.searchVectors(twin(), 40, all)).labels];
    expect(first).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });

  it('rejects bad filters with their codes, across the thread (W3)', async () => {
    const store = await newStore();
    const reader = await published(store, batch([document('a', ['x'], { metadata: { collections: 'c' } })]));
    await expect(reader.select({ collection: 'c' })).rejects.toMatchObject({
      code: 'SLUICE_FILTER_UNKNOWN_FIELD',
      details: { field: 'collection', suggestions: ['collections'] },
    });
    await expect(reader.select({ collections: { is: 'c' } } as never)).rejects.toMatchObject({
      code: 'SLUICE_FILTER_INVALID',
    });
    expect((await reader.select({ collections: 'c' })).count).toBe(1);
  });

  it('forgets a field with its last document', async () => {
    const store = await newStore();
    const reader = await published(store, batch([document('a', ['x'], { metadata: { old: 1 } })]));
    expect((await reader.select({ old: 1 })).count).toBe(1);
    const later = await published(store, batch([document('a', ['x'], { metadata: { new: 1 } })]));
    await expect(later.select({ old: 1 })).rejects.toMatchObject({ code: 'SLUICE_FILTER_UNKNOWN_FIELD' });
  });

  it('gives a set back as long as the generation lasts', async () => {
    const store = await newStore();
    const reader = await published(store, batch([document('a', ['x'], { metadata: { n: 1 } })]));
    const set = await reader.select({ n: 1 });
    expect(await reader.select({ n: 1 })).toBe(set);
    expect(await reader.select({ n: { in: [1] } })).toBe(set);
    const writer = await store.writer();
    await writer.commit(batch([document('b', ['y'], { metadata: { n: 1 } })]));
    await writer.publish();
    await reader.refresh();
    expect((await reader.select({ n: 1 })).count).toBe(2);
    // A set of an older generation allows nothing that has died since, and hurts nobody.
    expect((await reader.searchVectors(vectorOf('q'), 5, set)).labels).toHaveLength(1);
  });

  it('reads a long document in pieces', async () => {
    const store = await newStore();
    const chunks = Array.from({ length: 1_200 }, (_, i) => `chunk ${i} 😀 ${'words '.repeat(200)}`);
    const reader = await published(store, batch([document('long', chunks)]));
    const found = (await reader.document('long'))!;
    expect(found.text === chunks.join('\n')).toBe(true);
    expect(found.chunks.map((chunk) => chunk.text)).toEqual(chunks);
  });
});

describe('statistics', () => {
  it('are complete', async () => {
    const store = await newStore({ graphThreshold: 5 });
    const documents = Array.from({ length: 8 }, (_, i) => document(`d${i}`, ['two words']));
    documents[0]!.record.chunks.overLimit[0] = 1;
    const reader = await published(store, batch(documents), batch([], ['d7']));
    const stats = await reader.stats();
    expect(stats).toMatchObject({
      generation: 2,
      documents: 7,
      chunks: 7,
      tokens: 14,
      overLimitChunks: 1,
      sources: 0,
    });
    expect(stats).toMatchObject({ graphVectors: 7, tailVectors: 0, problems: [] });
    expect(stats.bytes.database).toBeGreaterThan(10_000);
    expect(stats.bytes.keywords).toBeGreaterThan(100);
    expect(stats.bytes.graph).toBeGreaterThan(100);
  });
});
