import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SluiceError } from '../../src/errors.js';
import { fuse } from '../../src/retrieval/index.js';
import {
  type ChunkInput,
  isSet,
  MemoryReader,
  toyEmbedder,
  toyReranker,
  toySearch,
  toyVector,
} from './memory-index.js';

const vocabulary = fc.constantFrom('kiln', 'glaze', 'cone', 'ten', 'cool', 'wash', 'shelf', 'log');
const corpus = fc.uniqueArray(
  fc.record({
    documentId: fc.constantFrom('a', 'b', 'c', 'd'),
    text: fc.array(vocabulary, { minLength: 1, maxLength: 8 }).map((list) => list.join(' ')),
    start: fc.nat(60),
    metadata: fc.record({ lang: fc.constantFrom('en', 'de') }),
  }),
  // No two chunks of a document lie at the same place.
  { maxLength: 20, selector: ({ documentId, start }) => `${documentId} ${start}` },
);

function labelsOf(hits: readonly { chunkId: string }[]): number[] {
  return hits.map(({ chunkId }) => Number(chunkId.replace('chunk-', '')));
}

describe('search', () => {
  it('equals the plain composition of exact legs and fusion', async () => {
    await fc.assert(
      fc.asyncProperty(corpus, fc.nat(12), async (chunks, k) => {
        const reader = new MemoryReader(chunks);
        const blend = { cosine: 0, bm25: 0 };
        const result = await toySearch(reader, 'glaze kiln cone', { k, collapse: 'none', blend });
        const all = await reader.select(undefined);
        const legs = [
          {
            name: 'keywords' as const,
            weight: 1,
            result: await reader.searchKeywords('glaze kiln cone', 100, all),
          },
          {
            name: 'vectors' as const,
            weight: 1,
            result: await reader.searchVectors(toyVector('glaze kiln cone'), 100, all),
          },
        ];
        const place = (label: number) => reader.stored.find((chunk) => chunk.label === label)!;
        const slow = fuse(legs)
          .map((candidate) => ({ ...candidate, ...place(candidate.label) }))
          .sort(
            (a, b) =>
              b.rrf - a.rrf ||
              a.bestRank - b.bestRank ||
              a.documentId.localeCompare(b.documentId) ||
              a.start - b.start,
          )
          .slice(0, k);
        expect(labelsOf(result.hits)).toEqual(slow.map(({ label }) => label));
        expect(result.hits.map(({ score }) => score)).toEqual(slow.map(({ rrf }) => rrf));
        expect(result.hits.map(({ rank }) => rank)).toEqual(slow.map((_, at) => at + 1));
      }),
    );
  });

  it('brings k hits whenever k allowed chunks exist, all allowed, with any dedupe and any depth', async () => {
    const options = fc.record({
      k: fc.nat(25),
      candidates: fc.integer({ min: 1, max: 8 }),
      collapse: fc.constantFrom('none' as const, 'overlap' as const),
      perDocument: fc.constantFrom(undefined, 1, 3),
      rerank: fc.constantFrom('auto' as const, false),
      filter: fc.constantFrom(undefined, { lang: 'en' }),
    });
    await fc.assert(
      fc.asyncProperty(corpus, options, async (chunks, given) => {
        const reader = new MemoryReader(chunks);
        const reranker = toyReranker((_query, passage) => passage.length);
        const { hits } = await toySearch(reader, 'what is glaze', given, { reranker });
        const allowed = await reader.select(given.filter);
        expect(hits).toHaveLength(Math.min(given.k, allowed.count));
        expect(new Set(labelsOf(hits)).size).toBe(hits.length);
        for (const label of labelsOf(hits)) expect(isSet(label, allowed)).toBe(true);
      }),
    );
  });

  it('U4: brings the same answer in every run and however the index was filled, equal texts included', async () => {
    const shuffled = corpus.chain((chunks) =>
      fc.tuple(fc.constant(chunks), fc.shuffledSubarray(chunks, { minLength: chunks.length })),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, fc.nat(12), fc.boolean(), async ([chunks, others], k, explain) => {
        const shown = async (filled: ChunkInput[]) =>
          (await toySearch(new MemoryReader(filled), 'glaze kiln', { k, explain })).hits.map(
            ({ documentId, text, start, score }) => [documentId, text, start, score],
          );
        expect(await shown(others)).toEqual(await shown(chunks));
      }),
    );
  });

  it('shows where a hit stands in both legs, in their own scores', async () => {
    const reader = new MemoryReader([
      { documentId: 'a', text: 'glaze kiln', headingPath: 'Firing', metadata: { lang: 'en' } },
      { documentId: 'b', text: 'wash' },
    ]);
    const { hits, legs, generation, reranked } = await toySearch(reader, 'glaze kiln');
    expect(hits[0]).toMatchObject({
      rank: 1,
      documentId: 'a',
      source: 'a.md',
      headingPath: 'Firing',
      text: 'glaze kiln',
      start: 0,
      end: 10,
      kind: 'prose',
      metadata: { lang: 'en' },
      scores: {
        keywords: { rank: 1 },
        vectors: { rank: 1, cosine: expect.closeTo(1, 5) },
        rrf: 2 / 61,
        rerank: null,
        blend: null,
      },
    });
    expect(hits[0]!.scores.keywords!.bm25).toBeGreaterThan(0);
    expect(hits[0]).not.toHaveProperty('label');
    expect(hits[1]!.scores.keywords).toBeNull();
    expect(legs).toEqual({ keywords: { found: 1, weight: 1 }, vectors: { found: 2, weight: 1 } });
    expect({ generation, reranked }).toEqual({ generation: 7, reranked: false });
  });

  it('U5: cuts nothing by an absolute score', async () => {
    const reader = new MemoryReader([{ documentId: 'a', text: 'wash' }]);
    const { hits } = await toySearch(reader, 'glaze');
    expect(hits[0]!.scores.vectors!.cosine).toBeLessThan(0.5);
  });

  it('times every stage once', async () => {
    const reader = new MemoryReader([{ documentId: 'a', text: 'kiln' }]);
    const { timings } = await toySearch(reader, 'what is a kiln', {}, { reranker: toyReranker(() => 1) });
    expect(timings.stages.map(({ stage }) => stage).sort()).toEqual([
      'dedupe',
      'embed',
      'fetch',
      'filter',
      'fuse',
      'keywords',
      'rerank',
      'vectors',
    ]);
    for (const { ms } of timings.stages) expect(ms).toBeLessThanOrEqual(timings.totalMs);
  });

  it('searches keywords while the query is being embedded, and by the segmented query', async () => {
    const reader = new MemoryReader([{ documentId: 'a', text: 'kiln' }]);
    const order: string[] = [];
    let release = () => {};
    const keywords = reader.searchKeywords.bind(reader);
    reader.searchKeywords = async (query, k, allowed) => {
      order.push(`keywords ${query}`);
      release();
      return keywords(query, k, allowed);
    };
    const embedder = toyEmbedder(async (text) => {
      order.push(`embed ${text}`);
      // Never released, and the test would hang, if the keyword leg waited for this.
      await new Promise<void>((resolve) => {
        release = resolve;
        if (order.length === 2) resolve();
      });
      return toyVector(text);
    });
    const { search } = await import('../../src/retrieval/index.js');
    await search({ reader, embedder, segment: (text) => `[${text}]`, query: 'kiln' });
    expect(order.sort()).toEqual(['embed kiln', 'keywords [kiln]']);
  });

  it.each([0, 5])('gives nothing for an empty index, with k %i', async (k) => {
    const { hits, legs } = await toySearch(new MemoryReader([]), 'kiln', { k });
    expect(hits).toEqual([]);
    expect(legs.vectors).toEqual({
      found: 0,
      weight: 0,
      reason: k === 0 ? 'k is 0' : 'the index is empty',
    });
  });

  it('runs no leg for k = 0, but says what is wrong with the call', async () => {
    const reader = new MemoryReader([{ documentId: 'a', text: 'kiln' }]);
    expect((await toySearch(reader, 'kiln', { k: 0 })).hits).toEqual([]);
    expect(reader.calls).toEqual([]);
    await expect(toySearch(reader, ' ', { k: 0 })).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    await expect(toySearch(reader, 'kiln', { k: -1 })).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it('reads only the text that it may need', async () => {
    const chunks = Array.from({ length: 90 }, (_, i) => ({
      documentId: `d${i}`,
      text: `glaze${' kiln'.repeat(i)}`,
    }));
    const reader = new MemoryReader(chunks);
    await toySearch(reader, 'glaze', { k: 5 });
    expect(reader.calls).toContain('chunks 10');
    expect(reader.calls.filter((call) => call.startsWith('chunks'))).toHaveLength(1);
  });

  it('goes on below when a chunk vanished between the legs and the fetch', async () => {
    const chunks = Array.from({ length: 30 }, (_, i) => ({ documentId: `d${i}`, text: 'glaze' }));
    const reader = new MemoryReader(chunks);
    const fetch = reader.chunks.bind(reader);
    reader.chunks = async (labels) => (await fetch(labels)).filter(({ label }) => label > 30);
    expect((await toySearch(reader, 'glaze', { k: 5 })).hits).toHaveLength(5);
  });
});

describe('filters', () => {
  it('F1: the one allowed chunk is found by each leg and by both, however far it is', async () => {
    const near = Array.from({ length: 11 }, (_, i) => ({
      documentId: `n${i}`,
      text: 'glaze kiln',
      metadata: { ok: false },
    }));
    const reader = new MemoryReader([
      ...near,
      { documentId: 'far', text: 'glaze wash shelf log cone', metadata: { ok: true } },
    ]);
    for (const legs of [{ keywords: false }, { vectors: false }, {}]) {
      const { hits } = await toySearch(reader, 'glaze kiln', { k: 2, filter: { ok: true }, legs });
      expect(hits.map(({ documentId }) => documentId)).toEqual(['far']);
    }
  });

  it('F3: k allowed hits come back though forbidden ones rank better', async () => {
    const of = (ok: boolean, text: string) =>
      Array.from({ length: 30 }, (_, i) => ({ documentId: `${ok}${i}`, text, metadata: { ok } }));
    const reader = new MemoryReader([
      ...of(false, 'glaze glaze glaze glaze'),
      ...of(true, 'glaze with much else around it'),
    ]);
    const { hits } = await toySearch(reader, 'glaze', { k: 10, candidates: 10, filter: { ok: true } });
    expect(hits).toHaveLength(10);
    expect(hits.every(({ metadata }) => metadata.ok === true)).toBe(true);
  });

  it.each(['keywords', 'vectors'] as const)('stops a store whose %s leg ignores the filter', async (leg) => {
    const chunks: ChunkInput[] = [
      { documentId: 'secret', text: 'glaze', metadata: { ok: false } },
      { documentId: 'open', text: 'kiln', metadata: { ok: true } },
    ];
    const reader = new MemoryReader(chunks);
    const everything = await reader.select(undefined);
    if (leg === 'keywords') {
      const original = reader.searchKeywords.bind(reader);
      reader.searchKeywords = (query, k) => original(query, k, everything);
    } else {
      const original = reader.searchVectors.bind(reader);
      reader.searchVectors = (query, k) => original(query, k, everything);
    }
    const failure = await toySearch(reader, 'glaze', { filter: { ok: true } }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'SLUICE_INTERNAL' });
    expect(JSON.stringify((failure as SluiceError).message)).not.toContain('secret');
  });

  it('stops a store that answers with another chunk than the one that was asked for', async () => {
    const reader = new MemoryReader([
      { documentId: 'secret', text: 'glaze', metadata: { ok: false } },
      { documentId: 'open', text: 'glaze', metadata: { ok: true } },
    ]);
    reader.chunks = async () => [reader.stored[0]!];
    const { hits } = await toySearch(reader, 'glaze', { filter: { ok: true } });
    expect(hits).toEqual([]);
  });
});

describe('overlap and documents', () => {
  it('X4: overlapping windows of one passage do not fill the answer', async () => {
    const passage = 'the glaze kiln reaches cone ten after nine hours of firing';
    const windows = [0, 1, 2, 3, 4].map((start) => ({ documentId: 'a', text: passage.slice(start), start }));
    const others = ['b', 'c', 'd', 'e'].map((documentId) => ({
      documentId,
      text: `${documentId} cone shelf`,
    }));
    const reader = new MemoryReader([...windows, ...others]);
    const ids = async (options: object) =>
      (await toySearch(reader, 'glaze kiln cone ten', options)).hits.map((hit) => hit.documentId);
    expect((await ids({})).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect((await ids({ collapse: 'none' })).filter((id) => id === 'a')).toHaveLength(5);
  });

  it("U2: with 'document', a list counts a document once, however many of its chunks it holds", async () => {
    const long = Array.from({ length: 5 }, (_, i) => ({ documentId: 'long', text: 'glaze', start: i * 100 }));
    const reader = new MemoryReader([
      ...long,
      { documentId: 'short', text: 'glaze and some more words' },
      { documentId: 'short', text: 'cone', start: 500 },
    ]);
    // The keyword leg has five chunks of the long document before the short one; the vector leg has the short one first.
    const embedder = toyEmbedder(() => toyVector('cone'));
    const blend = { cosine: 0, bm25: 0 };
    const result = await toySearch(reader, 'glaze', { k: 2, collapse: 'document', blend }, { embedder });
    expect(result.hits.map(({ documentId, score }) => [documentId, score])).toEqual(
      [
        ['short', 1 / 61 + 1 / 62],
        ['long', 1 / 61 + 1 / 62],
      ].sort((a, b) => (a[0]! < b[0]! ? -1 : 1)),
    );
    expect(result.hits).toHaveLength(2);
  });

  it("'document' goes deeper until k documents are there, embedding once", async () => {
    const long = Array.from({ length: 60 }, (_, i) => ({
      documentId: 'long',
      text: 'glaze',
      start: i * 100,
    }));
    const others = ['b', 'c', 'd'].map((documentId) => ({
      documentId,
      text: `glaze ${documentId} kiln wash`,
    }));
    const reader = new MemoryReader([...long, ...others]);
    let embedded = 0;
    const embedder = toyEmbedder((text) => {
      embedded++;
      return toyVector(text);
    });
    const result = await toySearch(
      reader,
      'glaze',
      { k: 3, candidates: 5, collapse: 'document' },
      { embedder },
    );
    expect(result.hits.map(({ documentId }) => documentId)).toEqual(['long', 'b', 'c']);
    expect(embedded).toBe(1);
    const all = await toySearch(reader, 'glaze', { k: 9, candidates: 5, collapse: 'document' });
    expect(all.hits).toHaveLength(4);
  });
});

describe('explain', () => {
  it('tells what every stage made of every candidate', async () => {
    const reader = new MemoryReader([
      { documentId: 'a', text: 'glaze kiln cone', start: 0 },
      { documentId: 'a', text: 'kiln cone', start: 6 },
      { documentId: 'b', text: 'what a glaze' },
    ]);
    const reranker = toyReranker((_query, passage) => (passage.includes('what') ? 9 : 0));
    const { trace, hits } = await toySearch(reader, 'what is glaze', { k: 2, explain: true }, { reranker });
    expect(trace!.keywords.map(({ documentId, rank }) => [documentId, rank])).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
    expect(trace!.vectors).toHaveLength(3);
    expect(trace!.fused.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(trace!.reranked.map(({ logit }) => logit)).toEqual([9, 0, 0]);
    expect(trace!.reranked.map(({ chunkId }) => chunkId).slice(0, 2)).toEqual(
      hits.map(({ chunkId }) => chunkId),
    );
    expect((await toySearch(reader, 'what is glaze')).trace).toBeUndefined();
    const few = await toySearch(reader, 'glaze kiln cone', { k: 3, explain: true });
    expect(few.trace!.setAside).toEqual([
      { chunkId: 'chunk-5', documentId: 'a', reason: 'overlap', becauseOf: 'chunk-3' },
    ]);
  });
});
