import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passageText, rerankShortlist } from '../../src/retrieval/rerank.js';
import { MemoryReader, toyReranker, toySearch } from './memory-index.js';

const QUESTION = 'what does the kiln do';
const texts = fc.array(
  fc.array(fc.constantFrom('kiln', 'glaze', 'cone', 'ten', 'cool', 'wash'), { minLength: 1, maxLength: 6 }),
  { minLength: 1, maxLength: 12 },
);

function readerOf(passages: readonly string[][]): MemoryReader {
  return new MemoryReader(passages.map((passage, i) => ({ documentId: `d${i}`, text: passage.join(' ') })));
}

describe('reranking', () => {
  it('permutes the shortlist and leaves the rest behind it in its order, for any logits', async () => {
    const logit = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY));
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.array(logit, { minLength: 12, maxLength: 12 }),
        fc.nat(12),
        async (passages, logits, shortlist) => {
          const reader = readerOf(passages);
          const all = { k: passages.length, collapse: 'none' } as const;
          const plain = await toySearch(reader, QUESTION, { ...all, rerank: false });
          const reranker = toyReranker((_query, _passage, row) => logits[row]!);
          const result = await toySearch(reader, QUESTION, { ...all, shortlist }, { reranker });
          const [before, after] = [plain, result].map(({ hits }) => hits.map(({ chunkId }) => chunkId));
          expect([...after!.slice(0, shortlist)].sort()).toEqual([...before!.slice(0, shortlist)].sort());
          expect(after!.slice(shortlist)).toEqual(before!.slice(shortlist));
          expect(result.hits.every(({ score }) => Number.isFinite(score))).toBe(true);
          for (const [i, hit] of result.hits.entries()) {
            if (i > 0) expect(hit.score).toBeLessThanOrEqual(result.hits[i - 1]!.score);
          }
        },
      ),
    );
  });

  it('never finds at 1 what the first stage has not in its shortlist: recall caps it', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(), fc.integer({ min: 1, max: 6 }), async (passages, pick, shortlist) => {
        const reader = readerOf(passages);
        const wanted = `d${pick % passages.length}`;
        const options = { k: 1, shortlist, collapse: 'none', rerank: true } as const;
        const first = await toySearch(reader, QUESTION, { ...options, k: shortlist, rerank: false });
        const reranker = toyReranker((_query, _passage, row) => row, 'likes the last');
        const again = await toySearch(reader, QUESTION, options, { reranker });
        if (again.hits[0]!.documentId === wanted) {
          expect(first.hits.map(({ documentId }) => documentId)).toContain(wanted);
        }
      }),
    );
  });

  it('lets a reranker that reads word order correct a bag of words', async () => {
    const reader = new MemoryReader([
      { documentId: 'log', text: 'glaze kiln hours see the glaze kiln log' },
      {
        documentId: 'manual',
        text: 'on thursday the glaze kiln climbs slowly and reaches cone ten after nine hours of firing',
      },
      { documentId: 'other', text: 'the studio closes at six' },
    ]);
    const query = 'how many hours until the glaze kiln reaches cone ten';
    const inOrder = (text: string) =>
      (text.includes('glaze kiln') ? 1 : 0) + (text.includes('reaches cone ten') ? 4 : 0);
    const reranker = toyReranker((_query, passage) => inOrder(passage));
    const only = { k: 1, legs: { vectors: false }, blend: { rrf: 0, cosine: 0, logit: 1 } };
    const result = await toySearch(reader, query, only, { reranker });
    expect(result.reranked).toBe(true);
    expect(result.hits[0]).toMatchObject({ documentId: 'manual', scores: { rerank: 5 } });
  });

  it('runs by itself for questions only, and never for a script that its model cannot read', async () => {
    const reader = readerOf([['kiln'], ['glaze']]);
    const reranker = toyReranker(() => 1, 'reranker-v0');
    const reranked = async (query: string, rerank: 'auto' | boolean) =>
      (await toySearch(reader, query, { rerank }, { reranker })).reranked;
    expect(await reranked('what is a kiln', 'auto')).toBe(true);
    expect(await reranked('kiln glaze', 'auto')).toBe(false);
    expect(await reranked('窯は何ですか', 'auto')).toBe(false);
    expect(await reranked('kiln glaze', true)).toBe(true);
    expect(await reranked('what is a kiln', false)).toBe(false);
  });

  it('R6: keeps the fused order and tells the cause when the reranker fails', async () => {
    const reader = readerOf([['kiln', 'what'], ['glaze'], ['kiln']]);
    const reranker = toyReranker(() => {
      throw new Error('model file is cut off');
    });
    const result = await toySearch(reader, QUESTION, {}, { reranker });
    const plain = await toySearch(reader, QUESTION, { rerank: false });
    expect(result).toMatchObject({
      reranked: false,
      rerankError: { code: 'SLUICE_MODEL_FAILED', message: 'model file is cut off' },
    });
    expect(result.hits).toEqual(plain.hits);
    await expect(toySearch(reader, QUESTION, { rerank: true }, { reranker })).rejects.toThrow(
      'model file is cut off',
    );
  });

  it('refuses rerank: true without a reranker', async () => {
    const search = toySearch(readerOf([['kiln']]), QUESTION, { rerank: true });
    await expect(search).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it.each([
    ['too few scores', new Float32Array(1), /returned 1 scores for 2 passages/],
    ['no finite score', new Float32Array(2).fill(Number.NaN), /no finite score for 2 passages/],
  ])('R2: takes %s for a failure', async (_, scores, message) => {
    const reranker = {
      ...toyReranker(() => 0),
      score: async () => ({ scores, windowed: new Uint8Array(2) }),
    };
    const result = await toySearch(readerOf([['kiln'], ['kiln', 'glaze']]), QUESTION, {}, { reranker });
    expect(result.rerankError).toMatchObject({
      code: 'SLUICE_MODEL_FAILED',
      message: expect.stringMatching(message),
    });
    expect(result.hits).toHaveLength(2);
  });

  it('shows the model title and headings once, before the text', () => {
    const { stored } = new MemoryReader([
      { documentId: 'a', title: 'Kilns', headingPath: 'Kilns › Glaze', text: 'Hot.' },
      { documentId: 'b', title: 'Kilns', headingPath: 'Glaze', text: 'Hot.' },
      { documentId: 'c', title: 'c', text: 'Hot.' },
    ]);
    expect(stored.map(passageText)).toEqual(['Kilns › Glaze\nHot.', 'Kilns › Glaze\nHot.', 'Hot.']);
  });

  it('reads no passage of an empty shortlist', async () => {
    const reranker = toyReranker(() => 1);
    expect(await rerankShortlist(reranker, 'q', [], { rrf: 1, cosine: 1, bm25: 1, logit: 1 })).toEqual([]);
    expect(reranker.seen).toEqual([]);
  });
});
