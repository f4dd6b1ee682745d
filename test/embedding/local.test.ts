import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedder } from '../../src/embedding/local.js';
import { checkReference, makeReference } from '../../src/embedding/reference.js';
import type { Embedder } from '../../src/model/embedder.js';
import { packTexts, textCount } from '../../src/model/text-column.js';
import { copyOfModel, cosine, graphFolder, removeFolders } from '../inference/support.js';

let embedder: Embedder;
beforeAll(async () => {
  embedder = await openEmbedder();
});
afterAll(async () => {
  await embedder.close();
  await removeFolders();
});

async function vectorsOf(texts: string[], purpose: 'passage' | 'query' = 'passage', from = embedder) {
  const { matrix, cost } = await from.embed(packTexts(texts), purpose);
  const rows = Array.from({ length: matrix.rows }, (_, i) =>
    matrix.data.slice(i * matrix.dims, (i + 1) * matrix.dims),
  );
  return { rows, cost };
}

/** Single WordPiece tokens. */
const words = (count: number, word = 'water') => Array(count).fill(word).join(' ');

describe('vectors', () => {
  it('have length 1 and the meaning of their texts', async () => {
    const { rows, cost } = await vectorsOf([
      'How long is the guarantee?',
      'The warranty covers repairs for two years.',
      'Bananas ripen faster in a paper bag.',
    ]);
    for (const row of rows) expect(Math.hypot(...row)).toBeCloseTo(1, 5);
    expect(cosine(rows[0]!, rows[1]!)).toBeGreaterThan(cosine(rows[0]!, rows[2]!) + 0.3);
    expect(cost).toMatchObject({ pooled: 0, truncatedTexts: 0, truncatedTokens: 0 });
    expect(cost.inferenceMs).toBeGreaterThan(cost.tokenizeMs);
  });

  it('are the same to the bit alone, among short texts and beside a long one, in either lane', async () => {
    const text = 'Unused points expire after twelve months.';
    const [alone] = (await vectorsOf([text])).rows;
    const { rows: amongShort } = await vectorsOf([...Array(31).fill('short one'), text]);
    const { rows: besideLong } = await vectorsOf([words(500), text]);
    const [asQuery] = (await vectorsOf([text], 'query')).rows;
    expect(amongShort[31]).toEqual(alone);
    expect(besideLong[1]).toEqual(alone);
    expect(asQuery).toEqual(alone);
  });

  it('are finite at every length around the borders of attention windows', async () => {
    const lengths = [0, 1, 127, 128, 129, 253, 254, 255, 256, 257, 511, 700];
    const { rows } = await vectorsOf(lengths.map((length) => words(length)));
    for (const row of rows) expect(row.every(Number.isFinite)).toBe(true);
  });

  it('come back in input order, whatever the shapes', async () => {
    const texts = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 40 });
    const known = new Map<string, Float32Array>();
    await fc.assert(
      fc.asyncProperty(texts, async (lengths) => {
        const column = lengths.map((length) => words(length, 'sun'));
        const { rows } = await vectorsOf(column);
        expect(rows).toHaveLength(column.length);
        for (const [i, text] of column.entries()) {
          if (!known.has(text)) known.set(text, rows[i]!);
          expect(rows[i]).toEqual(known.get(text));
        }
      }),
      { numRuns: 8 },
    );
  });

  it('of nothing are nothing', async () => {
    const { matrix } = await embedder.embed(packTexts([]), 'passage');
    expect(matrix).toEqual({ rows: 0, dims: 384, data: new Float32Array(0) });
  });

  it('leave the column as it was', async () => {
    const column = packTexts(['one', 'two']);
    await embedder.embed(column, 'passage');
    expect(textCount(column)).toBe(2);
    expect(column.bytes).toHaveLength(6);
  });
});

describe('the window', () => {
  it('takes exactly its tokens without a cut, and not one more', async () => {
    const full = await vectorsOf([`${words(253)} volcano`]);
    expect(full.cost).toMatchObject({ tokens: 256, pooled: 0 });
    const over = await vectorsOf([`${words(254)} volcano`]);
    // Two windows, each with its own special tokens, and every token in one of them.
    expect(over.cost).toMatchObject({ tokens: 255 + 4, pooled: 1 });
    const { rows } = await vectorsOf([`${words(253)} volcano`, `${words(253)} sister`]);
    expect(cosine(rows[0]!, rows[1]!)).toBeLessThan(0.99999);
  });

  it('drops no token of long texts: such that differ only after token 520 differ', async () => {
    const head = words(520);
    const { rows, cost } = await vectorsOf([
      `${head} ${words(380, 'volcano')}`,
      `${head} ${words(380, 'sister')}`,
    ]);
    expect(cosine(rows[0]!, rows[1]!)).toBeLessThan(0.95);
    expect(cost.pooled).toBe(2);
    // 900 tokens and four windows each.
    expect(cost.tokens).toBe(2 * (900 + 4 * 2));
    for (const row of rows) expect(Math.hypot(...row)).toBeCloseTo(1, 5);
  });

  it('ignores what tokenizer.json says about truncation and padding', async () => {
    // The file says 128 for both.
    expect((await vectorsOf([words(200)])).cost.tokens).toBe(202);
    expect((await vectorsOf([words(3)])).cost.tokens).toBe(5);
  });
});

describe('text that looks like special tokens', () => {
  it('is read as plain text', async () => {
    const text = 'The sequence [CLS] [SEP] <|endoftext|> </s> <pad> [PAD] is documented here.';
    const { rows, cost } = await vectorsOf([text, 'The sequence is documented here.']);
    expect(rows[0]!.every(Number.isFinite)).toBe(true);
    // A real [CLS] would be one token each; spelled out, the brackets alone are more.
    expect(cost.tokens).toBeGreaterThan(35);
  });
});

describe('a model of its own', () => {
  it('is told apart by its content: a renamed folder is the same', async () => {
    const renamed = await openEmbedder({ model: await copyOfModel('all-MiniLM-L6-v2') });
    const { name: _, ...same } = embedder.fingerprint;
    expect(renamed.fingerprint).toMatchObject(same);
    const reference = await makeReference(embedder);
    expect((await checkReference(reference, renamed)).minCosine).toBeGreaterThan(0.99999);
    await renamed.close();
  });

  it('puts its prefixes before queries, passages and every window', async () => {
    const model = await graphFolder('states', { 'sluice.json': { normalize: false, windowTokens: 12 } });
    const plain = await openEmbedder({ model });
    const prefixed = await openEmbedder({ model, queryPrefix: 'water: ', passagePrefix: 'sun ' });
    const tokens = async (from: Embedder, text: string, purpose: 'passage' | 'query') =>
      (await vectorsOf([text], purpose, from)).cost;
    expect((await tokens(plain, 'a b', 'query')).tokens).toBe(4);
    expect((await tokens(prefixed, 'a b', 'query')).tokens).toBe(6);
    expect((await tokens(prefixed, 'a b', 'passage')).tokens).toBe(5);
    // 1 + 15 tokens, 9 a window beside the prefix: two windows, the second with the prefix again.
    expect(await tokens(prefixed, words(15), 'passage')).toMatchObject({ tokens: 16 + 1 + 4, pooled: 1 });
    await Promise.all([plain.close(), prefixed.close()]);
  });

  it('may return half floats or whole vectors, and may want int32', async () => {
    const open = async (graph: string) =>
      openEmbedder({ model: await graphFolder(graph, { 'sluice.json': { normalize: false } }) });
    const mean = (101 + 2300 + 102) / 3;
    for (const graph of ['states', 'sentence', 'int32', 'half']) {
      const model = await open(graph);
      const [row] = (await vectorsOf(['water'], 'query', model)).rows;
      expect(row![0]).toBeCloseTo(mean, graph === 'half' ? -1 : 3);
      expect([...row!.slice(1)]).toEqual([1, 1, 1]);
      expect(model.fingerprint).toMatchObject({ dims: 4, pooling: graph === 'sentence' ? 'none' : 'mean' });
      await model.close();
    }
  });

  it('that makes NaN of one text is refused by that row', async () => {
    const model = await openEmbedder({ model: await graphFolder('poisoned') });
    const texts = Array.from({ length: 50 }, (_, i) => (i === 41 ? 'a zebra here' : `text ${i}`));
    await expect(model.embed(packTexts(texts), 'passage')).rejects.toMatchObject({
      code: 'SLUICE_EMBEDDING_INVALID',
      details: { row: 41 },
      message: expect.stringMatching(/made NaN .*\(row 41\)/),
    });
    // The others are fine without it.
    texts.splice(41, 1);
    expect((await vectorsOf(texts, 'passage', model)).rows).toHaveLength(49);
    await model.close();
  });
});
