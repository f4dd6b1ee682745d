import { beforeAll, describe, expect, it } from 'vitest';
import { packContext } from '../../src/context/index.js';
import { callerEmbedder } from '../../src/embedding/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import type { Filter } from '../../src/model/filter.js';
import type { SearchOptions } from '../../src/retrieval/index.js';
import { searchIndexes } from '../../src/search-indexes.js';
import type { SluiceIndex } from '../../src/sluice-index.js';
import { newIndex, toyModel } from '../index-support.js';
import { randomness, vectorOf } from '../store/support.js';

/** What somebody who may read some documents learns of the others: nothing, by any way in. */
const MINE: Filter = { group: 'mine' };
const QUERY = 'what is the kiln temperature?';
const LEGS: SearchOptions['legs'][] = [{ vectors: false }, { keywords: false }, {}];

describe('one who may read one group (F6)', () => {
  let index: SluiceIndex;
  let other: SluiceIndex;
  /** That may be read. */
  let chunks: number;

  const text = (id: string, some: string) =>
    [1, 2, 3].map((n) => `# Kiln part ${n}\n\nThe kiln temperature of ${id} is ${some} ${n}.`).join('\n\n');
  const document = (id: string, group: string) => ({
    id,
    title: `title of ${id}`,
    text: text(id, group === 'mine' ? 'open' : 'zugzwang'),
    metadata: { group, label: `label of ${id}` },
    format: 'markdown' as const,
  });
  /** As a reader would look for a leak: in the whole answer, keys and numbers too. */
  const leaks = (answer: unknown) => /theirs|zugzwang/.test(JSON.stringify(answer));

  beforeAll(async () => {
    const chunking = { limitTokens: 32, overlapTokens: 0 };
    index = await newIndex({ reranker: 'reranker-v0', chunking });
    other = await newIndex({ chunking });
    for (const one of [index, other]) {
      await one.add([1, 2, 3].map((n) => document(`mine${n}`, 'mine')));
      await one.add(Array.from({ length: 9 }, (_, n) => document(`theirs${n}`, 'theirs')));
    }
    const counts = await index.count({ filter: MINE });
    expect(counts.documents).toBe(3);
    expect(counts.chunks).toBeGreaterThan(2 * 3);
    chunks = counts.chunks;
    // What was asked by another before may not be answered from a cache.
    await index.search(QUERY, { k: 50, rerank: true });
    await index.count();
    await index.facets('label', { limit: 50 });
  });

  it('finds nothing else, by either leg, both, reranked, or document by document', async () => {
    expect(leaks(await index.search(QUERY, { k: 50, rerank: false }))).toBe(true);
    for (const legs of LEGS) {
      for (const rerank of [true, false]) {
        for (const collapse of ['none', 'overlap', 'document'] as const) {
          const options = { k: 50, filter: MINE, legs, rerank, collapse, explain: true };
          const result = await index.search(QUERY, options);
          expect(leaks(result), JSON.stringify(options)).toBe(false);
          expect(result.hits).toHaveLength(collapse === 'document' ? 3 : chunks);
          const packed = { budgetTokens: 10_000, countTokens: (some: string) => some.length };
          expect(leaks(await packContext(result.hits, packed))).toBe(false);
        }
      }
    }
    const both = await searchIndexes({ index, other }, QUERY, { k: 50, filter: MINE, explain: true });
    expect(leaks(both)).toBe(false);
    expect(both.hits).toHaveLength(2 * chunks);
  });

  it('is told of nothing else where no query is', async () => {
    expect(await index.get('theirs1', { filter: MINE })).toBeUndefined();
    expect(await index.has(['theirs1', 'mine1', 'nobody'], { filter: MINE })).toEqual([false, true, false]);
    expect(await index.count({ filter: MINE })).toEqual({ documents: 3, chunks });
    const listed = await index.list({ filter: MINE });
    expect(listed.documents).toHaveLength(3);
    expect(listed.cursor).toBeUndefined();
    const scanned = [];
    for await (const one of index.scan({ filter: MINE, text: true, chunks: true })) scanned.push(one);
    expect(scanned).toHaveLength(3);
    const facets = await Promise.all(
      ['label', 'group', '$title', '$source'].map((field) => index.facets(field, { filter: MINE })),
    );
    expect(facets.map((values) => values.length)).toEqual([3, 1, 3, 3]);
    expect(leaks([listed, scanned, facets])).toBe(false);
  });

  it('has answers evaluated among the allowed alone', async () => {
    const answers: unknown[] = [];
    const report = await evaluate<SearchOptions>({
      search: async (query, options) => {
        const result = await index.search(query, options);
        answers.push(result);
        return result;
      },
      queries: new Map([['q', QUERY]]),
      qrels: new Map([['q', new Map([['theirs1', 1]])]]),
      configurations: [{ name: 'mine', options: { filter: MINE, k: 10, rerank: false } }],
    });
    expect(answers.length).toBeGreaterThan(0);
    expect(leaks(answers)).toBe(false);
    expect(report.configurations[0]!.metrics['hit@10']).toBe(0);
  });

  it('changes and removes nothing else', async () => {
    const gone = await newIndex();
    await gone.add([document('mine1', 'mine'), document('theirs1', 'theirs')]);
    await gone.update({ filter: MINE }, { set: { seen: true } });
    expect((await gone.get('theirs1'))!.metadata.seen).toBeUndefined();
    await gone.remove({ filter: MINE });
    expect((await gone.list()).documents.map(({ id }) => id)).toEqual(['theirs1']);
  });

  it('loses and gains access with the next query', async () => {
    const changing = await newIndex();
    await changing.add([document('mine1', 'mine'), document('theirs1', 'theirs')]);
    const ids = async () => {
      const { hits } = await changing.search(QUERY, { k: 9, filter: MINE, collapse: 'document' });
      return hits.map(({ documentId }) => documentId);
    };
    expect(await ids()).toEqual(['mine1']);
    await changing.update(['mine1'], { set: { group: 'theirs' } });
    expect(await ids()).toEqual([]);
    expect(await changing.get('mine1', { filter: MINE })).toBeUndefined();
    expect(await changing.count({ filter: MINE })).toEqual({ documents: 0, chunks: 0 });
    await changing.update(['theirs1'], { set: { group: 'mine' } });
    expect(await ids()).toEqual(['theirs1']);
  });

  it('cannot hand over a predicate, and one that throws rejects (I8)', async () => {
    const thrower = {
      get group(): string {
        throw new RangeError('no');
      },
    };
    for (const filter of [() => true, { group: () => undefined }])
      await expect(index.search(QUERY, { filter: filter as never })).rejects.toMatchObject({
        code: 'SLUICE_FILTER_INVALID',
      });
    for (const ask of [
      () => index.search(QUERY, { filter: thrower }),
      () => index.count({ filter: thrower }),
      () => index.get('mine1', { filter: thrower }),
    ])
      await expect(ask()).rejects.toThrow('no');
    expect(await index.count({ filter: MINE })).toEqual({ documents: 3, chunks });
  });
});

describe('forbidden neighbours (F7)', () => {
  const DIMS = 16;
  const FORBIDDEN = 4_000;
  const ALLOWED = 30;

  /** Everything that is said to be near is nearer to the query than anything else is. */
  function model() {
    const query = vectorOf('the query', DIMS);
    const embedOne = (text: string) => {
      if (!/near|query/.test(text)) return vectorOf(text, DIMS);
      const next = randomness([...text].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7));
      return query.map((value) => value + (text === 'query' ? 0 : (next() - 0.5) / 50));
    };
    return callerEmbedder({
      model: 'near',
      dims: DIMS,
      windowTokens: 256,
      embed: (texts) => texts.map(embedOne),
    });
  }

  it('neither change nor shorten an answer, however many they are', async () => {
    const options = { model: model(), graphThreshold: 1_000 };
    const [alone, crowded] = [await newIndex(options), await newIndex(options)];
    const allowed = Array.from({ length: ALLOWED }, (_, n) => ({
      id: `allowed${n}`,
      text: `some word and ${n}`,
      metadata: { tenant: 1 },
    }));
    const forbidden = Array.from({ length: FORBIDDEN }, (_, n) => ({
      id: `forbidden${n}`,
      text: `near near near word ${n}`,
      metadata: { tenant: 2 },
    }));
    await alone.add([...allowed, { id: 'f', text: 'near', metadata: { tenant: 2 } }]);
    await crowded.add([...forbidden, ...allowed]);
    expect((await crowded.stats()).graphVectors).toBe(FORBIDDEN + ALLOWED);
    // Without a filter only forbidden ones come: they are in the way.
    const unfiltered = { k: 20, candidates: 20, legs: { keywords: false }, rerank: false };
    const nearest = await crowded.search('query', unfiltered);
    expect(nearest.hits.every(({ documentId }) => documentId.startsWith('forbidden'))).toBe(true);
    for (const k of [1, 5, ALLOWED, ALLOWED + 10]) {
      const ask = async (index: SluiceIndex) => {
        const asked = { k, filter: { tenant: 1 }, legs: { keywords: false }, rerank: false, explain: true };
        const { hits, trace } = await index.search('query', asked as SearchOptions);
        const places = trace!.vectors.map(({ documentId, score }) => `${documentId} ${score.toFixed(5)}`);
        return { ids: hits.map(({ documentId }) => documentId), places };
      };
      const [few, many] = [await ask(alone), await ask(crowded)];
      expect(many).toEqual(few);
      expect(many.ids).toHaveLength(Math.min(k, ALLOWED));
    }
    for (const k of [1, 5, ALLOWED]) {
      const { hits } = await crowded.search('word', {
        k,
        filter: { tenant: 1 },
        legs: { vectors: false },
        rerank: false,
      });
      expect(hits).toHaveLength(Math.min(k, ALLOWED));
    }
  });
});

describe('two queries that nearly mean the same (U8)', () => {
  it('get an answer each, in whatever order they are asked', async () => {
    const directions: Record<string, number[]> = {
      'short one': [1, 0.1, 0],
      'short two': [1, -0.1, 0],
      'answer one': [1, 0.3, 0],
      'answer two': [1, -0.3, 0],
    };
    const model = callerEmbedder({
      model: 'directions',
      dims: 3,
      windowTokens: 256,
      embed: (texts) =>
        texts.map((text) => Float32Array.from(directions[text.split('\n').at(-1)!] ?? [0, 0, 1])),
    });
    const index = await newIndex({ model });
    await index.add([
      { id: 'one', text: 'answer one' },
      { id: 'two', text: 'answer two' },
    ]);
    const options = { k: 1, legs: { keywords: false }, rerank: false } as const;
    for (const asked of ['one', 'two', 'one', 'two', 'two', 'one']) {
      const { hits } = await index.search(`short ${asked}`, options);
      expect(hits[0]!.documentId).toBe(asked);
    }
  });
});

it('takes no query of one filter for that of another (U8)', async () => {
  const index = await newIndex({ model: toyModel() });
  await index.add(['x', 'y'].map((tenant) => ({ id: tenant, text: `kiln ${tenant}`, metadata: { tenant } })));
  const asked = ['x', 'y', 'x'].map((tenant) => index.search('kiln', { filter: { tenant } }));
  const answers = await Promise.all(asked);
  expect(answers.map(({ hits }) => hits.map(({ documentId }) => documentId))).toEqual([['x'], ['y'], ['x']]);
});
