import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors.js';
import { search } from '../../src/retrieval/index.js';
import { DIMS, MemoryReader, toyEmbedder, toyReranker, toySearch } from './memory-index.js';

const CHUNKS = [
  { documentId: 'a', text: 'glaze kiln' },
  { documentId: 'b', text: 'cone wash' },
];
const FAILING = toyEmbedder(() => {
  throw new Error('no model here');
});
const ENGLISH = { kind: 'onnx', name: 'all-MiniLM-L6-v2' };

describe('a vector that the caller has', () => {
  it('is searched for as it was given, without asking the embedder', async () => {
    const vector = new Float32Array(DIMS).fill(0.25);
    const reader = new MemoryReader(CHUNKS);
    const asked: Float32Array[] = [];
    const searchVectors = reader.searchVectors.bind(reader);
    reader.searchVectors = (query, ...rest) => {
      asked.push(query.slice());
      return searchVectors(query, ...rest);
    };
    const found = await toySearch(
      reader,
      'glaze',
      { vector, legs: { vectors: true } },
      { embedder: FAILING },
    );
    expect(asked).toEqual([vector]);
    expect(found.legs.vectors.error).toBeUndefined();
  });
});

describe('a failing leg', () => {
  it('leaves the keyword leg to answer when the query cannot be embedded, and says so', async () => {
    const { hits, legs } = await toySearch(new MemoryReader(CHUNKS), 'glaze', {}, { embedder: FAILING });
    expect(hits.map(({ documentId }) => documentId)).toEqual(['a']);
    expect(legs.vectors).toEqual({
      found: 0,
      weight: 0,
      reason: 'the query could not be embedded',
      error: { code: 'SLUICE_MODEL_FAILED', message: 'no model here', details: {} },
    });
    expect(legs.keywords).toEqual({ found: 1, weight: 1 });
  });

  it.each([
    ['it was asked for by name', { legs: { vectors: true } }, 'glaze'],
    ['the keyword leg is off', { legs: { keywords: false } }, 'glaze'],
    ['the keyword leg has weight 0', { legWeights: { keywords: 0 } }, 'glaze'],
    ['the keyword leg has no term to look up', {}, '?!'],
  ])('is an error where %s', async (_, options, query) => {
    const searching = toySearch(new MemoryReader(CHUNKS), query, options, { embedder: FAILING });
    await expect(searching).rejects.toThrow('no model here');
  });

  it.each([
    ['NaN', () => new Float32Array(DIMS).fill(Number.NaN), /holds NaN/],
    ['vectors of another model', () => new Float32Array(3), /1 × 3 values instead of 1 × 16/],
  ])('E9: takes %s for a failure of the embedder', async (_, vectorOf, message) => {
    const { legs } = await toySearch(
      new MemoryReader(CHUNKS),
      'glaze',
      {},
      { embedder: toyEmbedder(vectorOf) },
    );
    expect(legs.vectors.error).toMatchObject({
      code: 'SLUICE_EMBEDDING_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it.each(['searchKeywords', 'searchVectors', 'select', 'chunks'] as const)(
    'never hides an error of the store: %s',
    async (method) => {
      const reader = new MemoryReader(CHUNKS);
      reader[method] = async () => {
        throw new SluiceError('SLUICE_INDEX_CORRUPT', 'page 7 is damaged');
      };
      await expect(toySearch(reader, 'glaze')).rejects.toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
    },
  );
});

describe('a leg that is off or unfit', () => {
  it('is not run, and says why', async () => {
    const reader = new MemoryReader(CHUNKS);
    const off = await toySearch(reader, 'glaze', { legs: { vectors: false } }, { embedder: FAILING });
    expect(off.legs.vectors).toEqual({ found: 0, weight: 0, reason: 'turned off by the options' });
    const weightless = await toySearch(
      reader,
      'glaze',
      { legWeights: { vectors: 0 } },
      { embedder: FAILING },
    );
    expect(weightless.legs.vectors.reason).toBe('weight 0 in the options');
    expect(reader.calls.some((call) => call.startsWith('vectors'))).toBe(false);
  });

  it('gets weight 0 for a script that the model cannot read', async () => {
    const reader = new MemoryReader([
      { documentId: 'a', text: '钥匙' },
      { documentId: 'b', text: 'cone' },
    ]);
    const embedder = toyEmbedder(undefined, ENGLISH);
    const { hits, legs } = await toySearch(reader, '钥匙', { k: 1 }, { embedder });
    expect(hits.map(({ documentId }) => documentId)).toEqual(['a']);
    expect(legs.vectors).toMatchObject({
      found: 0,
      weight: 0,
      reason: expect.stringContaining('reads English'),
    });
    expect(reader.calls.some((call) => call.startsWith('vectors'))).toBe(false);
  });

  it('fills up behind the others where they bring fewer than k', async () => {
    const reader = new MemoryReader([
      { documentId: 'b', text: 'cone' },
      { documentId: 'a', text: '钥匙' },
    ]);
    const embedder = toyEmbedder(undefined, ENGLISH);
    const { hits, legs } = await toySearch(reader, '钥匙', { k: 2 }, { embedder });
    expect(hits.map(({ documentId, score }) => [documentId, score])).toEqual([
      ['a', 1 / 61],
      ['b', 0],
    ]);
    expect(legs.vectors).toMatchObject({ found: 2, weight: 0 });
  });

  it('is used all the same where it is the only one', async () => {
    const embedder = toyEmbedder(undefined, ENGLISH);
    const { hits, legs } = await toySearch(
      new MemoryReader(CHUNKS),
      '钥匙',
      { legs: { keywords: false } },
      { embedder },
    );
    expect(hits).toHaveLength(2);
    expect(legs.vectors).toMatchObject({
      found: 2,
      weight: 1,
      reason: expect.stringContaining('reads English'),
    });
  });

  it('leaves a query without terms to the vector leg', async () => {
    const { hits, legs } = await toySearch(new MemoryReader(CHUNKS), '?!');
    expect(hits).toHaveLength(2);
    expect(legs.keywords).toEqual({ found: 0, weight: 0, reason: 'the query holds no term' });
  });

  it('is judged by the rule that the caller brings', async () => {
    const fitness = () => ({ keywords: 'not today', vectors: null });
    const reader = new MemoryReader(CHUNKS);
    const request = {
      reader,
      embedder: toyEmbedder(),
      segment: (text: string) => text,
      query: 'glaze',
      fitness,
    };
    expect((await search(request)).legs.keywords).toEqual({ found: 0, weight: 0, reason: 'not today' });
  });

  it('K10: broken scores of a leg leave order and scores defined', async () => {
    const reader = new MemoryReader(CHUNKS);
    reader.searchKeywords = async () => ({
      labels: Uint32Array.of(5, 3),
      scores: Float32Array.of(Number.NaN, Number.NaN),
    });
    const reranker = toyReranker(() => 1);
    const { hits } = await toySearch(reader, 'what is glaze', {}, { reranker });
    expect(hits.every(({ score }) => Number.isFinite(score))).toBe(true);
  });
});

describe('aborting', () => {
  const stages = ['select', 'searchKeywords', 'searchVectors', 'chunks'] as const;

  it.each(stages)('stops after %s', async (stage) => {
    const reader = new MemoryReader(CHUNKS);
    const abort = new AbortController();
    const original = (reader[stage] as (...given: unknown[]) => Promise<unknown>).bind(reader);
    const after = stages.slice(stages.indexOf(stage) + 1);
    (reader as unknown as Record<string, unknown>)[stage] = async (...given: unknown[]) => {
      const result = await original(...given);
      abort.abort('enough');
      reader.calls.length = 0;
      return result;
    };
    const searching = toySearch(reader, 'glaze', { signal: abort.signal });
    await expect(searching).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    if (after.includes('chunks')) expect(reader.calls.some((call) => call.startsWith('chunks'))).toBe(false);
  });

  it('is an abort, not a failed model, inside embedder and reranker', async () => {
    for (const inside of ['embedder', 'reranker']) {
      const abort = new AbortController();
      const stop = () => {
        abort.abort();
        throw new Error('stopped');
      };
      const models =
        inside === 'embedder' ? { embedder: toyEmbedder(stop) } : { reranker: toyReranker(stop) };
      const searching = toySearch(
        new MemoryReader(CHUNKS),
        'what is glaze',
        { signal: abort.signal },
        models,
      );
      await expect(searching).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    }
  });

  it('does nothing when it was aborted before', async () => {
    const reader = new MemoryReader(CHUNKS);
    await expect(toySearch(reader, 'glaze', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'SLUICE_ABORTED',
    });
    expect(reader.calls).toEqual([]);
  });
});
