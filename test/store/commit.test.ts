import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/model/document.js';
import { sealRecord } from '../../src/model/sealed-record.js';
import type { SourceState, StoreReader } from '../../src/model/store.js';
import { keywordIds, published } from './reading.js';
import { batch, DIMS, document, newFolder, newStore, vectorOf } from './support.js';

describe('a commit', () => {
  it.each(['plain', 'sealed'])('gives back all that went in, %s', async (form) => {
    const store = await newStore();
    const text = 'the 😀 \u0000 \ufeffquick fox';
    const one = document('a/b c.md', [text, 'second chunk'], {
      source: 'a/b c.md',
      title: 'Über',
      metadata: { lang: 'en', tags: ['x', 1, null], nested: { deep: true } },
    });
    const { vectors } = one;
    const given = form === 'sealed' ? { record: sealRecord(one.record), vectors } : one;
    const reader = await published(store, batch([given]));
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
      () => batch([document('a', ['x'], { vector: () => new Float32Array(DIMS).fill(1e19) })]),
    ];
    for (const shape of shapes) {
      await expect(writer.commit(shape())).rejects.toMatchObject({ code: 'SLUICE_EMBEDDING_INVALID' });
    }
    await expect(writer.commit(batch([document('c', ['1']), document('c', ['2'])]))).rejects.toMatchObject({
      code: 'SLUICE_DUPLICATE_ID',
    });
    const odd = document('d', ['x'], { metadata: { run: () => 1 } as never });
    await expect(writer.commit(batch([odd]))).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    let deep: Metadata = {};
    for (let i = 0; i < 300; i++) deep = { deep };
    const nested = document('d', ['x'], { metadata: deep });
    await expect(writer.commit(batch([nested]))).rejects.toMatchObject({ code: 'SLUICE_RECORD_INVALID' });
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
    expect(await writer.commit(batch([]))).toEqual({
      generation: 0,
      addedChunks: 0,
      removedChunks: 0,
      updatedDocuments: 0,
    });
    expect(await writer.commit(batch([document('e', [])]))).toEqual({
      generation: 1,
      addedChunks: 0,
      removedChunks: 0,
      updatedDocuments: 0,
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
    expect(await writer.rootName('/x/docs/sub/a_b.md')).toBe('docs/sub/a_b.md');
    expect(await writer.knownName('/x/docs/sub')).toBe('docs/sub');
    expect(await writer.knownName('/x')).toBeUndefined();
    expect(await writer.rootName('/x/Docs')).toBe('Docs');
    expect(await writer.rootName('/x')).toBe('x');
    expect(await writer.rootsInside('/x')).toEqual([
      { name: 'Docs', path: '/x/Docs' },
      { name: 'docs', path: '/x/docs' },
    ]);
    expect(await writer.rootsInside('/x/doc')).toEqual([]);
    expect(await writer.rootName('/')).toBe('root');
    expect(await writer.rootName('/q/r')).toBe('root/q/r');
  });

  it('lists sources in pages', async () => {
    const store = await newStore();
    const writer = await store.writer();
    const names = ['d/a', 'd/b', 'd/c', 'd0', 'd', 'e/a'];
    const states = names.map((source) => ({ source, size: 1, mtimeMs: 1, status: 'done', error: null }));
    await writer.commit(batch([], [], states as SourceState[]));
    expect(await writer.sourcesUnder('d/')).toEqual(['d/a', 'd/b', 'd/c']);
    expect(await writer.sourcesUnder('d/', { limit: 2 })).toEqual(['d/a', 'd/b']);
    expect(await writer.sourcesUnder('d/', { after: 'd/b', limit: 2 })).toEqual(['d/c']);
    expect(await writer.sourcesUnder('d/', { after: 'd/c', limit: 2 })).toEqual([]);
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

describe('new metadata', () => {
  it('is a new version of the same chunks, and an older generation still sees the old one', async () => {
    const store = await newStore();
    const writer = await store.writer();
    await writer.commit(
      batch([document('a', ['alpha', 'bravo'], { metadata: { n: 1 } }), document('b', ['charlie'])]),
    );
    await writer.publish();
    const reader = await store.reader();
    const before = await reader.document('a');
    const updateMetadata = [
      { id: 'a', metadata: { n: 2, tags: ['x'] } },
      { id: 'gone', metadata: {} },
    ];
    expect(await writer.commit({ ...batch([]), updateMetadata })).toEqual({
      generation: 2,
      addedChunks: 0,
      removedChunks: 0,
      updatedDocuments: 1,
    });
    expect((await reader.document('a'))!.metadata).toEqual({ n: 1 });
    await writer.publish();
    await reader.refresh();
    const after = (await reader.document('a'))!;
    expect(after.metadata).toEqual({ n: 2, tags: ['x'] });
    expect(after.chunks.map(({ label }) => label)).toEqual(before!.chunks.map(({ label }) => label));
    expect((await reader.select({ n: 2 })).count).toBe(2);
    expect((await reader.select({ n: { exists: true } })).count).toBe(2);
    const all = await reader.select(undefined);
    expect(all.count).toBe(3);
    expect([...(await reader.searchKeywords('alpha', 5, all)).labels]).toEqual([1]);
    expect([...(await reader.searchVectors(vectorOf('bravo'), 1, all)).labels]).toEqual([2]);
    expect(await reader.stats()).toMatchObject({ documents: 2, chunks: 3 });
  });

  it('survives the loss of the keyword index, and goes with the document', async () => {
    const folder = newFolder();
    const store = await newStore({}, folder);
    const writer = await store.writer();
    await writer.commit(batch([document('a', ['alpha'], { metadata: { n: 1 } })]));
    await writer.commit({ ...batch([]), updateMetadata: [{ id: 'a', metadata: { n: 2 } }] });
    await store.close();
    rmSync(join(folder, 'keywords'), { recursive: true });
    const again = await newStore({}, folder);
    const reader = await again.reader();
    const all = await reader.select(undefined);
    expect([...(await reader.searchKeywords('alpha', 5, all)).labels]).toEqual([1]);
    expect((await reader.select({ n: 2 })).count).toBe(1);
    const second = await again.writer();
    await second.commit(batch([], ['a']));
    await second.publish();
    await reader.refresh();
    const none = await reader.select(undefined);
    expect(none.count).toBe(0);
    expect((await reader.searchKeywords('alpha', 5, none)).labels).toHaveLength(0);
  });
});
