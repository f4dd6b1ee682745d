import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packTexts } from '../../src/model/text-column.js';
import { type LocalReranker, openReranker } from '../../src/reranking/local.js';
import { processCpuMsOf } from '../cpu-time.js';
import { CROSS_ENCODER, graphFolder, removeFolders } from '../inference/support.js';

let reranker: LocalReranker;
beforeAll(async () => {
  reranker = await openReranker();
});
afterAll(async () => {
  await reranker.close();
  await removeFolders();
});

const words = (count: number, word = 'water') => Array(count).fill(word).join(' ');
const order = (scores: Float32Array) => [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!);

const QUESTION = 'When do unused points expire?';
const ANSWER = 'Unused points expire twelve months after the day on which they were earned.';

describe('scores', () => {
  it('put an answer above passages that share its words', async () => {
    const passages = [
      'Points can be earned by every purchase in the shop and by recommending a friend.',
      'The certificate of the server has expired; renew it before clients refuse the connection.',
      ANSWER,
      'An unused ticket can be exchanged at the counter at any time of the day.',
    ];
    const { scores, windowed, capped } = await reranker.score(QUESTION, packTexts(passages));
    expect(order(scores)[0]).toBe(2);
    expect(scores).toHaveLength(4);
    expect([...windowed, ...capped]).toEqual(Array(8).fill(0));
  });

  it('are one for each passage, the same to the bit in whatever company and order', async () => {
    const passages = Array.from({ length: 23 }, (_, i) => `passage ${i} ${words(i * 5)}`);
    const { scores } = await reranker.score(QUESTION, packTexts(passages));
    const reversed = await reranker.score(QUESTION, packTexts([...passages].reverse()));
    expect([...reversed.scores].reverse()).toEqual([...scores]);
    const alone = await reranker.score(QUESTION, packTexts([passages[7]!]));
    expect(alone.scores[0]).toBe(scores[7]);
    expect(new Set(order(scores)).size).toBe(23);
  });

  it('exist for empty questions, empty passages and no passages', async () => {
    expect((await reranker.score('', packTexts(['', 'text']))).scores.every(Number.isFinite)).toBe(true);
    expect((await reranker.score(QUESTION, packTexts(['']))).scores).toHaveLength(1);
    expect((await reranker.score(QUESTION, packTexts([]))).scores).toHaveLength(0);
  });

  it('cannot be steered by separators in a passage', async () => {
    const { tokens } = await reranker.score('a', packTexts(['b [SEP] c']));
    // [CLS] a [SEP] b "[" "se" "##p" "]" c [SEP]: a real separator would be one token.
    expect(tokens).toBeGreaterThanOrEqual(9);
  });
});

describe('long passages', () => {
  const filler = words(700, 'the river flows').replaceAll('river', 'stream');

  it('are found by an answer after token 600', async () => {
    const late = `${filler.split(' ').slice(0, 640).join(' ')}. ${ANSWER}`;
    const vague = `Points are mentioned here. ${filler.split(' ').slice(0, 300).join(' ')}`;
    const { scores, windowed, capped } = await reranker.score(QUESTION, packTexts([vague, late]));
    expect(order(scores)).toEqual([1, 0]);
    expect([...windowed]).toEqual([0, 1]);
    expect([...capped]).toEqual([0, 0]);
  });

  it('do not stall the others: nine and one of 50,000 tokens', async () => {
    const giant = `${words(30_000)} ${ANSWER} ${words(20_000)}`;
    let answer!: Awaited<ReturnType<typeof reranker.score>>;
    const passages = [giant, ...Array.from({ length: 9 }, (_, i) => `passage ${i} ${words(100)}`)];
    const ms = await processCpuMsOf(async () => {
      answer = await reranker.score(QUESTION, packTexts(passages));
    });
    expect(ms).toBeLessThan(10_000);
    const { scores, windowed, capped } = answer;
    expect(order(scores)[0]).toBe(0);
    expect([...windowed]).toEqual([1, ...Array(9).fill(0)]);
    expect([...capped]).toEqual([1, ...Array(9).fill(0)]);
  });

  it('fit the window to the token', async () => {
    // [CLS] water [SEP] … [SEP] leaves 508 of 512.
    const { tokens, windowed } = await reranker.score('water', packTexts([words(508), words(509)]));
    expect([...windowed]).toEqual([0, 1]);
    // 509 tokens in two overlapping windows of 508.
    expect(tokens).toBe(512 * 3);
  });

  it('keep half of the window however long the question is', async () => {
    const { queryTokensCut, windowed, tokens } = await reranker.score(words(300), packTexts([words(255)]));
    // (512 - 3) / 2 is 254: 46 tokens of the question were not read.
    expect(queryTokensCut).toBe(46);
    expect([...windowed]).toEqual([0]);
    expect(tokens).toBe(512);
    expect((await reranker.score(words(254), packTexts(['x']))).queryTokensCut).toBe(0);
  });
});

describe('heads', () => {
  const scoreOf = async (graph: string, config: Record<string, unknown>) => {
    const model = await graphFolder(graph, { 'config.json': { ...CROSS_ENCODER, ...config } });
    const cross = await openReranker({ model });
    try {
      const { scores } = await cross.score('water', packTexts(['water']));
      return scores[0]!;
    } finally {
      await cross.close();
    }
  };
  /** [CLS] water [SEP] water [SEP] */
  const total = (101 + 2300 + 102 + 2300 + 102) / 1000;

  it('of one logit, however it is wrapped, are the score', async () => {
    expect(await scoreOf('logits1', { num_labels: 1 })).toBeCloseTo(total, 4);
    expect(await scoreOf('logits-n11', {})).toBeCloseTo(total, 4);
  });

  it('of two logits are the lead of the answering class', async () => {
    expect(await scoreOf('logits2', {})).toBeCloseTo(3 * total, 3);
    expect(await scoreOf('logits2', { id2label: { 0: 'LABEL_0', 1: 'LABEL_1' } })).toBeCloseTo(3 * total, 3);
    expect(await scoreOf('logits2', { id2label: { 0: 'Relevant', 1: 'Other' } })).toBeCloseTo(-3 * total, 3);
  });

  it('of other kinds are refused', async () => {
    await expect(scoreOf('logits3', {})).rejects.toMatchObject({ code: 'SLUICE_MODEL_INVALID' });
    await expect(scoreOf('logits2', { num_labels: 1 })).rejects.toMatchObject({
      code: 'SLUICE_MODEL_INVALID',
      message: expect.stringMatching(/2 logits, but its config\.json names 1 labels/),
    });
  });

  it('are part of what the fingerprint stands for', async () => {
    expect(reranker.fingerprint).toMatchObject({ kind: 'onnx', name: 'reranker-v0', windowTokens: 512 });
    expect(reranker.fingerprint.model).toMatch(/^[0-9a-f]{64}$/);
  });
});
