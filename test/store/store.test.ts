import { describe, expect, it } from 'vitest';
import type { LegResult, SourceState, Store, StoreReader } from '../../src/model/store.js';
import { batch, DIMS, document, newStore, vectorOf } from './support.js';

async function idsOf(reader: StoreReader, hits: LegResult): Promise<string[]> {
  return (await reader.chunks(hits.labels)).map((chunk) => chunk.documentId);
}

async function keywordIds(reader: StoreReader, query: string, k = 1_000): Promise<string[]> {
  return (await idsOf(reader, await reader.searchKeywords(query, k, await reader.select(undefined)))).sort();
}

async function published(store: Store, ...batches: ReturnType<typeof batch>[]): Promise<StoreReader> {
  const writer = await store.writer();
  for (const one of batches) await writer.commit(one);
  await writer.publish();
  await writer.close();
  return store.reader();
}

describe('a commit', () => {
  it('gives back all that went in', async () => {
    const store = await newStore();
    const text = 'the 😀 \u0000 \ufeffquick fox';
    const one = document('a/b c.md', [text, 'second chunk'], {
      source: 'a/b c.md',
      title: 'Über',
      metadata: { lang: 'en', tags: ['x', 1, null], nested: { deep: true } },
    });
    const reader = await published(store, batch([one]));
    const found = await reader.document('a/b c.md');
    expect(found).toMatchObject({
      id: 'a/b c.md',
      source: 'a/b c.md',
      title: 'Über',
      format: 'text',
      metadata: { lang: 'en', tags: ['x', 1, null], nested: { deep: true } },
      text: `${text}\nsecond chunk`,
    });
    expect(found!.chunks.map((chunk) => chunk.text)).toEqual([text, 'second chunk']);
    expect(found!.chunks[1]).toMatchObject({
      startLine: 2,
      endLine: 2,
      tokens: 2,
      kind: 'prose',
      headingPath: '',
    });
    const labels = Uint32Array.from(found!.chunks, ({ label }) => label).reverse();
    expect(await reader.chunks(labels)).toEqual([...found!.chunks].reverse());
    expect(await reader.document('a/b_c.md')).toBeUndefined();
    expect(await reader.chunks(Uint32Array.of(0, 77))).toEqual([]);
  });

  it('is all or nothing, and a failing one leaves the old version searchable (S8)', async () => {
    const store = await newStore();
    const writer = await store.writer();
    await writer.commit(batch([document('a', ['old words'])]));
    const broken = () =>
      document('a', ['new words'], { vector: () => new Float32Array(DIMS).fill(Number.NaN) });
    const shapes = [
      () => batch([document('b', ['more']), broken()], ['a']),
      () => batch([document('a', ['new words'], { dims: 4 })]),
      () =>
        batch([
          { ...document('a', ['x', 'y']), vectors: { rows: 1, dims: DIMS, data: new Float32Array(DIMS) } },
        ]),
      () =>
        batch([
          document('a', ['x'], { vector: () => new Float32Array(DIMS).fill(Number.POSITIVE_INFINITY) }),
        ]),
    ];
    for (const shape of shapes) {
      await expect(writer.commit(shape())).rejects.toMatchObject({ code: 'SLUICE_EMBEDDING_INVALID' });
    }
    await expect(writer.commit(batch([document('c', ['1']), document('c', ['2'])]))).rejects.toMatchObject({
      code: 'SLUICE_DUPLICATE_ID',
    });
    expect(writer.generation).toBe(1);
    await writer.publish();
    const reader = await store.reader();
    expect(await keywordIds(reader, 'words')).toEqual(['a']);
    expect((await reader.document('a'))!.text).toBe('old words');
    expect(await reader.document('b')).toBeUndefined();
    expect(await reader.has(['b', 'a', ''])).toEqual([false, true, false]);
  });

  it('keeps all chunks, and exactly the new ones after shrinking (S9)', async () => {
    const store = await newStore();
    const five = ['alpha one', 'alpha two', 'alpha three', 'alpha four', 'alpha five'];
    let reader = await published(store, batch([document('d', five)]));
    expect(await keywordIds(reader, 'alpha')).toHaveLength(5);
    await reader.close();
    reader = await published(store, batch([document('d', five.slice(0, 2))]));
    expect(await keywordIds(reader, 'alpha')).toHaveLength(2);
    const all = await reader.select(undefined);
    expect(all.count).toBe(2);
    expect((await reader.searchVectors(vectorOf('x'), 10, all)).labels).toHaveLength(2);
    expect((await reader.document('d'))!.chunks).toHaveLength(2);
    expect((await reader.stats()).chunks).toBe(2);
  });

  it('keeps equal content at two paths apart (S10)', async () => {
    const store = await newStore();
    let reader = await published(
      store,
      batch([document('x/a', ['same text']), document('y/a', ['same text'])]),
    );
    expect(await keywordIds(reader, 'same')).toEqual(['x/a', 'y/a']);
    await reader.close();
    reader = await published(store, batch([], ['x/a']));
    expect(await keywordIds(reader, 'same')).toEqual(['y/a']);
    expect((await reader.document('y/a'))!.text).toBe('same text');
  });

  it('keeps chunk ids where the text stays', async () => {
    const store = await newStore();
    const idsBy = async (reader: StoreReader) =>
      new Map((await reader.document('d'))!.chunks.map((chunk) => [chunk.text, chunk.chunkId]));
    const before = await published(store, batch([document('d', ['keep me', 'drop me'])]));
    const old = await idsBy(before);
    const after = await published(store, batch([document('d', ['new', 'keep me'])]));
    expect((await idsBy(after)).get('keep me')).toBe(old.get('keep me'));
    expect((await after.document('d'))!.chunks[1]!.label).toBeGreaterThan(2);
  });

  it('takes documents without chunks and batches of nothing', async () => {
    const store = await newStore();
    const writer = await store.writer();
    expect(await writer.commit(batch([]))).toEqual({ generation: 0, addedChunks: 0, removedChunks: 0 });
    expect(await writer.commit(batch([document('e', [])]))).toEqual({
      generation: 1,
      addedChunks: 0,
      removedChunks: 0,
    });
    expect(await writer.commit(batch([document('f', ['x'])], ['nobody']))).toMatchObject({ generation: 2 });
    await writer.publish();
    const reader = await store.reader();
    expect((await reader.document('e'))!.chunks).toEqual([]);
    expect((await reader.stats()).documents).toBe(2);
  });

  it('needs no maintenance to be found (K8)', async () => {
    const store = await newStore();
    const writer = await store.writer();
    for (let i = 0; i < 100; i++) await writer.commit(batch([document(`d${i}`, [`alpha number${i}`])]));
    await writer.close();
    const reader = await store.reader();
    expect(await keywordIds(reader, 'alpha')).toHaveLength(100);
    expect(await keywordIds(reader, 'number42')).toEqual(['d42']);
  });
});

describe('names are literal (P7)', () => {
  it('keeps near names apart, and matches prefixes without patterns', async () => {
    const store = await newStore();
    const writer = await store.writer();
    const names = [
      'docs/a b.md',
      'docs/a_b.md',
      'docs/a%b.md',
      'docs/README.md',
      'docs/readme.md',
      'docs2/x.md',
    ];
    const states = names.map((source) => ({
      source,
      size: 1,
      mtimeMs: 5,
      status: 'done' as const,
      error: null,
    }));
    await writer.commit(
      batch(
        names.map((name) => document(name, [`text of ${name}`])),
        [],
        states,
      ),
    );
    expect(await writer.sourcesUnder('docs/')).toEqual(names.slice(0, 5).sort());
    expect(await writer.sourcesUnder('docs/a_')).toEqual(['docs/a_b.md']);
    expect(await writer.sourcesUnder('docs/a%')).toEqual(['docs/a%b.md']);
    expect(await writer.sourcesUnder('')).toHaveLength(6);
    await writer.commit(batch([], ['docs/a_b.md']));
    expect(await writer.documentsOf('docs/a b.md')).toEqual(['docs/a b.md']);
    expect(await writer.documentsOf('docs/a_b.md')).toEqual([]);
    expect(await writer.sourcesUnder('docs/a_')).toEqual([]);
    const again = names.map((id) => ({ id, contentHash: `hash of text of ${id}` }));
    expect(await writer.unchanged(again)).toEqual([true, false, true, true, true, true]);
    expect(await writer.owners(['docs/a b.md', 'nobody'])).toEqual(
      new Map([['docs/a b.md', { source: 'docs/a b.md', generation: 1 }]]),
    );
  });

  it('names roots once and for all', async () => {
    const store = await newStore();
    const writer = await store.writer();
    expect(await writer.rootName('/x/docs')).toBe('docs');
    expect(await writer.rootName('/y/docs')).toBe('docs-2');
    expect(await writer.rootName('/x/docs/')).toBe('docs');
    expect(await writer.rootName('/z/docs-2')).toBe('docs-2-2');
  });

  it('keeps the states of sources', async () => {
    const store = await newStore();
    const writer = await store.writer();
    const error = { code: 'SLUICE_FILE_BINARY' as const, message: 'binary', details: { path: 'b' } };
    const failed: SourceState = { source: 'b', size: 9, mtimeMs: 1_700_000_000_123, status: 'failed', error };
    const done: SourceState = { source: 'a', size: 1, mtimeMs: 2, status: 'done', error: null };
    await writer.commit(batch([], [], [failed, done]));
    expect(await writer.sourceStates(['a', 'b', 'c'])).toEqual(
      new Map([
        ['a', done],
        ['b', failed],
      ]),
    );
    await writer.publish();
    const reader = await store.reader();
    expect(await reader.stats()).toMatchObject({ failedSources: [failed], sources: 2 });
    await writer.forgetSource('b');
    expect(await reader.stats()).toMatchObject({ failedSources: [], sources: 1 });
  });
});

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
    for (const query of [new Float32Array(3), new Float32Array(DIMS).fill(Number.NaN)]) {
      await expect(reader.searchVectors(query, 1, all)).rejects.toMatchObject({
        code: 'SLUICE_EMBEDDING_INVALID',
      });
    }
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
    const store = await newStore({ graphThreshold: 10, exactLabels: 1 });
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
