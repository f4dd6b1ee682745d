import { getEventListeners } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openEmbedder } from '../../src/embedding/local.js';
import { InferenceEngine } from '../../src/inference/engine.js';
import { readModelFolder } from '../../src/inference/model-folder.js';
import { ThreadBudget } from '../../src/inference/thread-budget.js';
import { packTexts } from '../../src/model/text-column.js';
import { openReranker } from '../../src/reranking/local.js';
import { copyOfModel, graphFolder, removeFolders } from './support.js';

const engines: InferenceEngine[] = [];
function newEngine(options?: ConstructorParameters<typeof InferenceEngine>[0]): InferenceEngine {
  const engine = new InferenceEngine(options);
  engines.push(engine);
  return engine;
}
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});
afterAll(removeFolders);

const MINILM = 'all-MiniLM-L6-v2';
const passages = (count: number) =>
  packTexts(Array.from({ length: count }, (_, i) => `passage number ${i} about ${'water '.repeat(60)}`));

describe('starting', () => {
  it('starts nothing before it is needed, then one worker for a first query', async () => {
    const engine = newEngine();
    expect(engine.stats).toMatchObject({ queryThreads: 0, bulkThreads: 0, models: 0 });
    const embedder = await openEmbedder({ engine });
    expect(engine.stats).toMatchObject({ queryThreads: 1, bulkThreads: 0, models: 1 });
    await embedder.embed(packTexts(['one question']), 'query');
    expect(engine.stats).toMatchObject({ queryThreads: 1, bulkThreads: 0, coresInUse: 0 });
  });

  it('opens one session for many who ask at once, and keeps it for the last of them', async () => {
    const engine = newEngine();
    const embedders = await Promise.all(Array.from({ length: 8 }, () => openEmbedder({ engine })));
    expect(engine.stats).toMatchObject({ models: 1, queryThreads: 1 });
    await Promise.all(embedders.slice(1).map((embedder) => embedder.close()));
    await embedders[1]!.close();
    expect(engine.stats.models).toBe(1);
    await embedders[0]!.embed(packTexts(['still here']), 'query');
    await embedders[0]!.close();
    expect(engine.stats.models).toBe(0);
    await expect(embedders[0]!.embed(packTexts(['gone']), 'query')).rejects.toMatchObject({
      code: 'SLUICE_ABORTED',
    });
  });

  it('serves several models at once, each with its own', async () => {
    const engine = newEngine();
    const [small, large] = await Promise.all([
      openEmbedder({ engine, model: await graphFolder('states') }),
      openEmbedder({ engine }),
    ]);
    const results = await Promise.all([small!, large!].map((e) => e.embed(packTexts(['a', 'b']), 'query')));
    expect(results.map(({ matrix }) => matrix.dims)).toEqual([4, 384]);
  });
});

describe('the budget', () => {
  it('is kept by bulk work, queries and reranks together', async () => {
    const budget = new ThreadBudget(2);
    const engine = newEngine({ budget });
    const [embedder, reranker] = await Promise.all([openEmbedder({ engine }), openReranker({ engine })]);
    const column = passages(24);
    await Promise.all([
      embedder!.embed(column, 'passage'),
      embedder!.embed(packTexts(['a question']), 'query'),
      reranker!.score('a question', column),
    ]);
    expect(budget.peak).toBe(2);
    expect(budget.inUse).toBe(0);
    expect(engine.stats.queryThreads).toBeLessThanOrEqual(2);
    expect(engine.stats.bulkThreads).toBeLessThanOrEqual(2);
  });

  it('lets a query pass bulk work that waits', async () => {
    const engine = newEngine({ budget: new ThreadBudget(1) });
    const embedder = await openEmbedder({ engine });
    await embedder.embed(packTexts(['warm']), 'passage');
    const order: string[] = [];
    const bulk = embedder.embed(passages(60), 'passage').then(() => order.push('bulk'));
    const query = embedder.embed(packTexts(['a question']), 'query').then(() => order.push('query'));
    await Promise.all([bulk, query]);
    expect(order).toEqual(['query', 'bulk']);
  });

  it('lets a short query pass a long rerank', async () => {
    const engine = newEngine({ budget: new ThreadBudget(1) });
    const [embedder, reranker] = await Promise.all([openEmbedder({ engine }), openReranker({ engine })]);
    await reranker!.score('warm', packTexts(['warm']));
    const order: string[] = [];
    const rerank = reranker!.score('a question', passages(24)).then(() => order.push('rerank'));
    const query = embedder!.embed(packTexts(['a question']), 'query').then(() => order.push('query'));
    await Promise.all([rerank, query]);
    expect(order).toEqual(['query', 'rerank']);
  });

  it('lets bulk work make room between two texts, and loses none of them', async () => {
    const engine = newEngine({ budget: new ThreadBudget(1) });
    const embedder = await openEmbedder({ engine });
    const column = passages(40);
    const { matrix: calm, cost } = await embedder.embed(column, 'passage');
    let finished = false;
    const bulk = embedder.embed(column, 'passage').finally(() => {
      finished = true;
    });
    let queries = 0;
    for (; !finished; queries++) await embedder.embed(packTexts(['a question']), 'query');
    const disturbed = await bulk;
    expect(disturbed.matrix.data).toEqual(calm.data);
    expect(disturbed.cost.tokens).toBe(cost.tokens);
    // A query waits for one text, not for a batch of ten.
    expect(queries).toBeGreaterThan(20);
  });
});

describe('many small jobs', () => {
  it('one after another and all at once, find a worker each time', async () => {
    const engine = newEngine();
    const embedder = await openEmbedder({ engine, model: await graphFolder('states') });
    const one = packTexts(['water']);
    for (let i = 0; i < 300; i++) await embedder.embed(one, i % 2 ? 'query' : 'passage');
    const chain = async () => {
      for (let i = 0; i < 40; i++) await embedder.embed(one, 'query');
    };
    await Promise.all(Array.from({ length: 12 }, chain));
    expect(engine.stats.coresInUse).toBe(0);
  });
});

describe('stopping', () => {
  it('drops what was aborted and leaves the rest alone', async () => {
    const engine = newEngine();
    const embedder = await openEmbedder({ engine });
    const controller = new AbortController();
    const tasks = Array.from({ length: 100 }, (_, i) =>
      embedder.embed(packTexts([`text ${i}`]), 'passage', i % 2 ? controller.signal : undefined),
    );
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    const settled = await Promise.allSettled(tasks);
    const aborted = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(aborted).toHaveLength(50);
    for (const { reason } of aborted) expect(reason.code).toBe('SLUICE_ABORTED');
    expect(engine.stats.bulkThreads).toBeLessThanOrEqual(engine.stats.cores);
    await expect(embedder.embed(packTexts(['x']), 'query', controller.signal)).rejects.toMatchObject({
      code: 'SLUICE_ABORTED',
    });
    await embedder.embed(packTexts(['after']), 'passage');
  });

  it('settles every promise on close, and may be closed again', async () => {
    const engine = newEngine();
    const embedder = await openEmbedder({ engine });
    const tasks = Array.from({ length: 20 }, () => embedder.embed(passages(20), 'passage'));
    const settled = Promise.allSettled(tasks);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await Promise.all([engine.close(), engine.close()]);
    for (const result of await settled) {
      if (result.status === 'rejected') expect(result.reason.code).toBe('SLUICE_ABORTED');
    }
    await engine.close();
    expect(engine.stats).toMatchObject({ queryThreads: 0, bulkThreads: 0, coresInUse: 0, models: 0 });
    await expect(openEmbedder({ engine })).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    await embedder.close();
  });

  it('closes the shared engine with the last who uses it, and starts another one after', async () => {
    for (let round = 0; round < 3; round++) {
      const [embedder, reranker] = await Promise.all([openEmbedder(), openReranker()]);
      await Promise.all([embedder!.close(), embedder!.close()]);
      expect((await reranker!.score('q', packTexts(['still open']))).scores).toHaveLength(1);
      await reranker!.close();
    }
  });
});

describe('failing', () => {
  it('tells why a truncated model does not load, each time, without going on for ever', async () => {
    const model = await copyOfModel(MINILM);
    const bytes = await readFile(join(model, 'model.onnx'));
    await writeFile(join(model, 'model.onnx'), bytes.subarray(0, bytes.length / 2));
    const engine = newEngine();
    const failures = await Promise.all(
      Array.from({ length: 8 }, () => openEmbedder({ engine, model }).catch((error: unknown) => error)),
    );
    for (const failure of failures) {
      expect(failure).toMatchObject({
        code: 'SLUICE_MODEL_FAILED',
        message: expect.stringMatching(/cannot load .*model\.onnx: cpu: .*[Pp]rotobuf/),
      });
    }
    expect(engine.stats).toMatchObject({ models: 0, queryThreads: 1 });
    await writeFile(join(model, 'model.onnx'), bytes);
    await (await openEmbedder({ engine, model })).embed(packTexts(['mended']), 'query');
  });

  it('tells which tokenizer does not load', async () => {
    const model = await graphFolder('states');
    await writeFile(join(model, 'tokenizer.json'), '{"version": "1.0"}');
    await expect(openEmbedder({ engine: newEngine(), model })).rejects.toMatchObject({
      code: 'SLUICE_MODEL_FAILED',
      message: expect.stringMatching(/cannot load the tokenizer .*tokenizer\.json/),
    });
  });

  it('names inputs that are not known, and heads that are none', async () => {
    const engine = newEngine();
    await expect(openEmbedder({ engine, model: await graphFolder('pictures') })).rejects.toMatchObject({
      code: 'SLUICE_MODEL_INVALID',
      message: expect.stringMatching(/input pixel_values of type float32/),
    });
  });

  it('does not fall back from a provider that was asked for', async () => {
    const engine = newEngine({ provider: 'coreml' });
    await expect(openEmbedder({ engine })).rejects.toMatchObject({
      code: 'SLUICE_MODEL_FAILED',
      message: expect.stringMatching(/coreml.*installed: .*cpu/),
    });
  });

  it('says which provider it took by itself', async () => {
    const engine = newEngine();
    const model = await engine.open(await readModelFolder(MINILM, 'embedding'));
    expect(model.shape).toMatchObject({ provider: 'cpu', specialTokens: 2, specialTokensPair: 3, dims: 384 });
  });
});
