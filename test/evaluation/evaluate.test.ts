import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors.js';
import {
  type Answer,
  type EvaluateRequest,
  evaluate,
  renderJson,
  renderTable,
  standardConfigurations,
} from '../../src/evaluation/index.js';

const queries = new Map([
  ['q1', 'one'],
  ['q2', 'two'],
  ['q3', 'three'],
  ['unjudged', 'never asked'],
]);
const qrels = new Map([
  ['q1', new Map([['d1', 1]])],
  [
    'q2',
    new Map([
      ['d2', 2],
      ['d3', 1],
    ]),
  ],
  ['q3', new Map([['d1', 0]])],
  ['lost', new Map([['d1', 1]])],
]);
const RANKINGS: Record<string, string[]> = { one: ['d1'], two: ['d9', 'd9', 'd2'] };

function answer(query: string, more: Partial<Answer> = {}): Answer {
  return { hits: (RANKINGS[query] ?? []).map((documentId) => ({ documentId })), ...more };
}

function run(more: Partial<EvaluateRequest<string>> = {}) {
  return evaluate<string>({
    search: async (query) => answer(query),
    queries,
    qrels,
    configurations: [{ name: 'fused', options: 'any' }],
    ...more,
  });
}

describe('evaluate', () => {
  it('averages over the queries that can be measured, and counts the others', async () => {
    const asked: string[] = [];
    const report = await run({
      search: async (query) => {
        asked.push(query);
        return answer(query);
      },
      perQuery: true,
    });
    expect(report).toMatchObject({
      queries: 2,
      withoutRelevant: 1,
      withoutText: ['lost'],
      missingDocuments: null,
      ks: [10, 100],
    });
    // The first query once more than the others: unmeasured, to warm up.
    expect(asked).toEqual(['one', 'one', 'two']);
    const { metrics, latency, perQuery } = report.configurations[0]!;
    expect(metrics['MRR@10']).toBeCloseTo((1 + 1 / 2) / 2, 12);
    expect(metrics['recall@100']).toBeCloseTo((1 + 1 / 2) / 2, 12);
    expect(metrics['hit@10']).toBe(1);
    const ndcg = 2 / Math.log2(3) / (2 + 1 / Math.log2(3));
    expect(metrics['nDCG@10']).toBeCloseTo((1 + ndcg) / 2, 12);
    expect(perQuery!.map(({ id, ranking }) => [id, ranking])).toEqual([
      ['q1', ['d1']],
      ['q2', ['d9', 'd2']],
    ]);
    expect(latency.p50Ms).toBeLessThanOrEqual(latency.p95Ms);
  });

  it('runs one search at a time, hands over the options and tells its progress', async () => {
    let running = 0;
    const seen = new Set<string>();
    const progress: string[] = [];
    await run({
      configurations: ['x', 'y'].map((name) => ({ name, options: `options of ${name}` })),
      search: async (query, options) => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        seen.add(options);
        return answer(query);
      },
      onProgress: ({ configuration, done, total }) => progress.push(`${configuration} ${done}/${total}`),
    });
    expect([...seen]).toEqual(['options of x', 'options of y']);
    expect(progress).toEqual(['x 1/4', 'x 2/4', 'y 3/4', 'y 4/4']);
  });

  it('V2: fails at once, naming the ids, when the corpus is not in the index', async () => {
    const search = async () => {
      throw new Error('must not be reached');
    };
    const evaluating = run({ search, hasDocument: async (ids) => ids.map(() => false) });
    await expect(evaluating).rejects.toMatchObject({
      code: 'SLUICE_NOT_FOUND',
      message: expect.stringContaining('none of the 3 relevant documents: d1, d2, d3'),
      details: { missing: 3, ids: ['d1', 'd2', 'd3'] },
    });
  });

  it('V2: reports the ids where only some are missing', async () => {
    const report = await run({ hasDocument: async (ids) => ids.map((id) => id !== 'd3') });
    expect(report.missingDocuments).toEqual(['d3']);
    expect(renderTable(report)).toContain('1 relevant documents are not in the index: d3');
  });

  it('fails when queries and judgements do not belong together', async () => {
    await expect(run({ queries: new Map([['other', 'x']]) })).rejects.toMatchObject({
      code: 'SLUICE_NOT_FOUND',
      message: expect.stringContaining('none of 4 judged queries can be measured'),
    });
  });

  it('names query and configuration of a failing search, keeping its code', async () => {
    const search = async () => {
      throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index is closed');
    };
    await expect(run({ search })).rejects.toMatchObject({
      code: 'SLUICE_INDEX_CLOSED',
      message: "query 'q1' failed in configuration 'fused': the index is closed",
    });
  });

  it.each([
    ['no cut-off', { ks: [] }],
    ['a cut-off of 0', { ks: [0] }],
    ['no configuration', { configurations: [] }],
    [
      'one name twice',
      {
        configurations: [
          { name: 'a', options: '' },
          { name: 'a', options: '' },
        ],
      },
    ],
    ['a presence check that answers for too few', { hasDocument: async () => [true] }],
  ])('refuses %s', async (_, more) => {
    await expect(run(more)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it('stops when it is aborted', async () => {
    await expect(run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
  });

  it('has a standard set: each leg, fused, and reranked where there is a reranker', () => {
    expect(standardConfigurations().map(({ name }) => name)).toEqual(['keywords', 'vectors', 'fused']);
    const names = standardConfigurations({ reranker: true }).map(({ name }) => name);
    expect(names).toEqual(['keywords', 'vectors', 'fused', 'fused+rerank', 'fused+auto']);
  });
});

describe('the report', () => {
  it('is a table with its caveats below', async () => {
    const search = async (query: string) =>
      answer(query, {
        ...(query === 'two' && { reranked: true }),
        ...(query === 'one' && { rerankError: { message: 'no model' } }),
        legs: { keywords: { found: 0, weight: 1 }, vectors: { found: 0, weight: 0 } },
      });
    const table = renderTable(await run({ search }));
    const masked = table.replace(/ +\d+\.\d(?=\s)/g, ' T');
    expect(masked.split('\n')).toEqual([
      'configuration  nDCG@10  recall@10  recall@100  MRR@10  p50 ms  p95 ms',
      'fused           0.7398     0.7500      0.7500  0.7500 T T',
      '2 queries measured',
      '1 judged queries left out: no relevant document',
      '1 judged queries left out: no text for lost',
      'not checked whether the index holds the relevant documents',
      'fused: 1 of 2 answers were reranked',
      'fused: the reranker failed for 1 queries',
      'fused: the keywords leg found nothing for 2 of 2 queries',
      '',
    ]);
  });

  it('is JSON that says the same', async () => {
    const report = await run();
    expect(JSON.parse(renderJson(report))).toEqual(report);
  });
});
