import { afterEach, describe, expect, it } from 'vitest';
import { type RemoteEmbedderOptions, remoteEmbedder } from '../../src/embedding/remote.js';
import { packTexts } from '../../src/model/text-column.js';
import { dataOf, startService, vectorOf } from './service.js';

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function serve(
  answer: Parameters<typeof startService>[0],
  options: Partial<RemoteEmbedderOptions> = {},
) {
  const service = await startService(answer);
  close = service.close;
  const embedder = remoteEmbedder({
    url: service.url,
    model: 'm-1',
    dims: 2,
    windowTokens: 100,
    normalize: false,
    ...options,
  });
  return { embedder, requests: service.requests };
}

const rowsOf = ({ matrix }: { matrix: { rows: number; dims: number; data: Float32Array } }) =>
  Array.from({ length: matrix.rows }, (_, i) => [
    ...matrix.data.subarray(i * matrix.dims, (i + 1) * matrix.dims),
  ]);

const texts = Array.from({ length: 25 }, (_, i) => 'abcdefghij'.repeat(3).slice(i));
const asFloats = (text: string) => vectorOf(text).map(Math.fround);

describe('a remote embedder', () => {
  it('sends batches and keeps the order, even if the service does not', async () => {
    const { embedder, requests } = await serve(
      ({ input }) => ({ body: { data: dataOf(input).reverse(), usage: { prompt_tokens: 10 } } }),
      { batchSize: 4, apiKey: 'secret', passagePrefix: 'p: ' },
    );
    const result = await embedder.embed(packTexts(texts), 'passage');
    expect(rowsOf(result)).toEqual(texts.map((text) => asFloats(`p: ${text}`)));
    expect(requests).toHaveLength(7);
    expect(
      requests.every(({ model, authorization }) => model === 'm-1' && authorization === 'Bearer secret'),
    ).toBe(true);
    expect(result.cost).toMatchObject({ tokens: 70, truncatedTexts: 0 });
  });

  it('brings vectors to length 1 unless told otherwise', async () => {
    const { embedder } = await serve(({ input }) => ({ body: { data: dataOf(input) } }), { normalize: true });
    const [[x, y]] = rowsOf(await embedder.embed(packTexts(['abc']), 'query')) as [[number, number]];
    expect(Math.hypot(x, y)).toBeCloseTo(1, 6);
  });

  it('tries again after 429 and 5xx, as long as the service asks', async () => {
    const { embedder, requests } = await serve(({ input }, count) =>
      count < 3
        ? { status: count === 1 ? 429 : 503, headers: { 'retry-after': '0' }, body: 'busy' }
        : { body: { data: dataOf(input) } },
    );
    await embedder.embed(packTexts(['a']), 'query');
    expect(requests).toHaveLength(3);
  });

  it('gives up with the last answer', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' }, body: 'overloaded' };
    const { embedder, requests } = await serve(() => busy, { retries: 2, apiKey: 'secret' });
    const failure = await embedder.embed(packTexts(['a']), 'query').catch((error: Error) => error);
    expect(failure).toMatchObject({
      code: 'SLUICE_MODEL_FAILED',
      message: 'the embeddings endpoint answered 503: overloaded (tried 3 times)',
    });
    expect(JSON.stringify(failure) + (failure as Error).stack).not.toContain('secret');
    expect(requests).toHaveLength(3);
  });

  it('does not repeat what is wrong for good', async () => {
    const { embedder, requests } = await serve(() => ({ status: 401, body: 'no key' }));
    await expect(embedder.embed(packTexts(['a']), 'query')).rejects.toMatchObject({
      code: 'SLUICE_MODEL_FAILED',
      message: 'the embeddings endpoint answered 401: no key',
    });
    expect(requests).toHaveLength(1);
  });

  it('says what it could not reach', async () => {
    const { embedder } = await serve(() => ({ body: {} }), { retries: 0 });
    await close!();
    await expect(embedder.embed(packTexts(['a']), 'query')).rejects.toThrow(
      /cannot be reached: .*ECONNREFUSED/,
    );
    expect(() => remoteEmbedder({ url: 'nowhere', model: 'm', dims: 2, windowTokens: 9 })).toThrow(
      /not the address/,
    );
  });

  it.each([
    ['NaN as null', [{ index: 0, embedding: [1, null] }], /returned null for text 0/],
    ['a short vector', [{ index: 0, embedding: [1] }], /returned 1 numbers, not 2, for text 0/],
    ['no vector', [{ index: 0 }], /returned no vector, not 2, for text 0/],
    ['too few', [], /returned no vector, not 2, for text 0/],
    ['too many', [...dataOf(['a', 'b'])], /returned 2 vectors for 1 texts/],
    ['one twice', [...dataOf(['a']), ...dataOf(['a'])], /index 0 twice/],
    ['no list', undefined, /without a list of data/],
  ])('refuses %s', async (_, data, message) => {
    const { embedder } = await serve(() => ({ body: { data } }));
    await expect(embedder.embed(packTexts(['a']), 'query')).rejects.toMatchObject({
      code: 'SLUICE_EMBEDDING_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('names the row of a later batch', async () => {
    const { embedder } = await serve(
      ({ input }) => ({
        body: { data: input.map((text, index) => ({ index, embedding: [1, text === 'bad' ? 1e39 : 1] })) },
      }),
      { batchSize: 2, concurrency: 1 },
    );
    await expect(embedder.embed(packTexts(['a', 'b', 'c', 'bad', 'e']), 'passage')).rejects.toMatchObject({
      code: 'SLUICE_EMBEDDING_INVALID',
      details: { row: 3 },
    });
  });

  it('counts what the service will cut, if told how to count', async () => {
    const { embedder } = await serve(({ input }) => ({ body: { data: dataOf(input) } }), {
      windowTokens: 10,
      countTokens: (column) => column.offsets.slice(1).map((end, i) => end - column.offsets[i]!),
    });
    const { cost } = await embedder.embed(packTexts(['short', 'x'.repeat(13), 'y'.repeat(11)]), 'passage');
    expect(cost).toMatchObject({ truncatedTexts: 2, truncatedTokens: 4 });
  });

  it('stops when it is aborted, and after it was closed', async () => {
    const { embedder } = await serve(() => new Promise<never>(() => {}));
    const controller = new AbortController();
    const pending = embedder.embed(packTexts(['a']), 'query', controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(pending).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    await embedder.close();
    await expect(embedder.embed(packTexts(['a']), 'query')).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
  });
});
