import { describe, expect, it } from 'vitest';
import { documentIfAllowed } from '../src/document-lists.js';
import type { SluiceIndex } from '../src/sluice-index.js';
import { newIndex } from './index-support.js';
import { batch, document, newStore } from './store/support.js';

const id = (n: number) => `d${String(n).padStart(3, '0')}`;

async function filled(documents: number): Promise<SluiceIndex> {
  const index = await newIndex();
  await index.add(
    Array.from({ length: documents }, (_, n) => ({
      id: id(n),
      title: `Title ${n}`,
      text: `Kiln ${n} glows.`,
      metadata: { n, lang: n % 3 === 0 ? 'de' : 'en', tags: n % 2 === 0 ? ['even', 'even'] : [n, null] },
    })),
  );
  return index;
}

describe('list', () => {
  it('shows what a document is, by id', async () => {
    const index = await filled(3);
    const { documents, cursor } = await index.list({ filter: { lang: 'en' } });
    expect(cursor).toBeUndefined();
    expect(documents).toEqual([
      {
        id: 'd001',
        source: 'd001',
        title: 'Title 1',
        format: 'text',
        metadata: expect.anything(),
        chunks: 1,
      },
      expect.objectContaining({ id: 'd002', metadata: { n: 2, lang: 'en', tags: ['even', 'even'] } }),
    ]);
  });

  it('skips and repeats nothing of what is there all the time, whatever is committed between pages', async () => {
    const index = await filled(60);
    const seen: string[] = [];
    let cursor: string | undefined;
    let round = 0;
    do {
      const page = await index.list({ limit: 7, cursor });
      seen.push(...page.documents.map((document) => document.id));
      cursor = page.cursor;
      round++;
      await index.remove(id(round * 5));
      await index.add({ id: `d${round}-new`, text: 'new' });
      await index.update(id(50), { set: { round } });
    } while (cursor !== undefined);
    const kept = Array.from({ length: 60 }, (_, n) => n).filter(
      (n) => n % 5 !== 0 || n === 0 || n > 50 || n === 50,
    );
    for (const n of kept) expect(seen.filter((one) => one === id(n))).toEqual([id(n)]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each([
    [{ cursor: 'rubbish' }, /cursor that no list has given/],
    [{ cursor: 5 as never }, /cursor that no list has given/],
    [{ limit: 0 }, /from 1 to 10000/],
    [{ fillter: {} } as never, /list has no option "fillter"/],
  ])('refuses %j', async (options, message) => {
    const index = await newIndex();
    await expect(index.list(options)).rejects.toThrow(message);
  });
});

describe('count and facets', () => {
  it('count documents and chunks that pass', async () => {
    const index = await filled(9);
    expect(await index.count()).toEqual({ documents: 9, chunks: 9 });
    expect(await index.count({ filter: { lang: 'de' } })).toEqual({ documents: 3, chunks: 3 });
    await expect(index.count({ filter: { lnag: 'de' } })).rejects.toMatchObject({
      code: 'SLUICE_FILTER_UNKNOWN_FIELD',
    });
    await expect(index.count({ lang: 'de' } as never)).rejects.toThrow(/count has no option "lang"/);
  });

  it('tell values of every type apart, count an element once a document, most frequent first', async () => {
    const index = await filled(4);
    expect(await index.facets('tags')).toEqual([
      { value: null, documents: 2, chunks: 2 },
      { value: 'even', documents: 2, chunks: 2 },
      { value: 1, documents: 1, chunks: 1 },
      { value: 3, documents: 1, chunks: 1 },
    ]);
    expect(await index.facets('lang', { filter: { n: { gte: 2 } }, limit: 1 })).toEqual([
      { value: 'de', documents: 1, chunks: 1 },
    ]);
    await expect(index.facets('lnag')).rejects.toThrow(/did you mean 'lang'/);
  });
});

describe('scan', () => {
  it('brings every document once, with what was asked for', async () => {
    const index = await filled(300);
    const ids: string[] = [];
    for await (const document of index.scan()) {
      ids.push(document.id);
      expect(document).not.toHaveProperty('text');
    }
    expect(ids).toEqual(Array.from({ length: 300 }, (_, n) => id(n)));
    for await (const { text, chunks, chunkCount } of index.scan({
      filter: { n: 7 },
      text: true,
      chunks: true,
    })) {
      expect(text).toBe('Kiln 7 glows.');
      expect(chunks).toMatchObject([{ text: 'Kiln 7 glows.' }]);
      expect(chunkCount).toBe(1);
    }
  });

  it('may be left at any time, and passes over what is removed or forbidden on the way', async () => {
    const index = await filled(10);
    for await (const _ of index.scan()) break;
    const ids: string[] = [];
    for await (const document of index.scan({ filter: { lang: 'en' }, text: true })) {
      ids.push(document.id);
      if (document.id !== id(1)) continue;
      await index.remove(id(2));
      await index.update(id(4), { set: { lang: 'fr' } });
    }
    expect(ids).toEqual([1, 5, 7, 8].map(id));
    await expect(index.scan({ filter: { nope: 1 } }).next()).rejects.toMatchObject({
      code: 'SLUICE_FILTER_UNKNOWN_FIELD',
    });
  });
});

describe('get and has', () => {
  it('do as if a forbidden document did not exist', async () => {
    const index = await filled(4);
    expect((await index.get(id(0), { filter: { lang: 'de' } }))?.text).toBe('Kiln 0 glows.');
    expect(await index.get(id(1), { filter: { lang: 'de' } })).toBeUndefined();
    expect(await index.has([id(0), id(1), 'none'], { filter: { lang: 'de' } })).toEqual([true, false, false]);
    await expect(index.get(id(0), { filtre: {} } as never)).rejects.toThrow(/get has no option "filtre"/);
  });

  it('hold a document without chunks against the filter too', async () => {
    const store = await newStore();
    const writer = await store.writer();
    await writer.commit(batch([document('bare', [], { metadata: { lang: 'en' } })]));
    await writer.publish();
    const reader = await store.reader();
    expect(await documentIfAllowed({ reader }, 'bare', { lang: 'en' })).toMatchObject({
      id: 'bare',
      chunks: [],
    });
    expect(await documentIfAllowed({ reader }, 'bare', { lang: ['de'] })).toBeUndefined();
  });
});

describe('an id with a lone surrogate', () => {
  const broken = 'b\ud800';

  it('is held as UTF-8 has it, and found under both spellings', async () => {
    const index = await newIndex();
    await index.add([
      { id: 'a', text: 'Kiln a.' },
      { id: broken, text: 'Kiln b.', title: '\udc00' },
      { id: 'c', text: 'Kiln c.' },
    ]);
    const held = broken.toWellFormed();
    const { documents } = await index.list();
    expect(documents.map(({ id }) => id)).toEqual(['a', held, 'c']);
    const scanned: string[] = [];
    for await (const { id } of index.scan({ text: true })) scanned.push(id);
    expect(scanned).toEqual(['a', held, 'c']);
    expect(await index.has([broken, held])).toEqual([true, true]);
    expect((await index.get(broken))?.text).toBe('Kiln b.');
    expect((await index.search('kiln', { k: 5 })).hits).toHaveLength(3);
    expect(await index.update(broken, { set: { n: 1 } })).toMatchObject({ documents: 1, updated: 1 });
    expect(await index.remove([broken])).toMatchObject({ removedDocuments: 1 });
    expect(await index.count()).toMatchObject({ documents: 2 });
  });
});
