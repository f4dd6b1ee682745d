import { describe, expect, it } from 'vitest';
import { callerEmbedder, lookUpVectors } from '../../src/embedding/caller.js';
import { packTexts } from '../../src/model/text-column.js';

describe("a caller's embedder", () => {
  it('gets strings and a purpose, and names itself', async () => {
    const calls: string[][] = [];
    const embedder = callerEmbedder({
      model: 'mine-3',
      dims: 2,
      windowTokens: 50,
      batchSize: 2,
      queryPrefix: 'q: ',
      embed: (texts, purpose) => {
        calls.push([purpose, ...texts]);
        return texts.map(() => [3, 4]);
      },
    });
    const { matrix } = await embedder.embed(packTexts(['a', 'b', 'c']), 'query');
    expect(calls).toEqual([
      ['query', 'q: a', 'q: b'],
      ['query', 'q: c'],
    ]);
    expect([...matrix.data.subarray(0, 2)]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
    expect(embedder.fingerprint).toMatchObject({
      kind: 'caller',
      model: 'mine-3',
      dims: 2,
      normalized: true,
    });
    await embedder.close();
    await embedder.close();
  });

  it.each([
    [undefined, /must be an object/],
    [{ dims: 0 }, /dims must be a whole number of 1 or more, not 0/],
    [{ dims: 2.5 }, /dims/],
    [{ windowTokens: undefined }, /windowTokens/],
    [{ model: '' }, /model must be a name/],
    [{ embed: 'x' }, /embed must be a function/],
    [{ batchSize: 0 }, /batchSize/],
    [{ dimensions: 3 }, /no option "dimensions"; it knows model, dims/],
  ])('refuses the options %j', (wrong, message) => {
    const right = { model: 'm', dims: 2, windowTokens: 9, embed: () => [] };
    const options = wrong && { ...right, ...wrong };
    expect(() => callerEmbedder(options as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_USAGE', message: expect.stringMatching(message) }),
    );
  });

  it('that returns NaN for one of ten is refused by its row', async () => {
    const embedder = callerEmbedder({
      model: 'mine',
      dims: 2,
      windowTokens: 50,
      embed: async (texts) => texts.map((text) => Float32Array.of(1, text === 't6' ? Number.NaN : 1)),
    });
    const column = packTexts(Array.from({ length: 10 }, (_, i) => `t${i}`));
    await expect(embedder.embed(column, 'passage')).rejects.toMatchObject({
      code: 'SLUICE_EMBEDDING_INVALID',
      message: 'mine returned NaN for text 6',
      details: { row: 6 },
    });
  });

  it('may not return zeros where length 1 is promised', async () => {
    const zeros = (normalize: boolean) =>
      callerEmbedder({ model: 'z', dims: 1, windowTokens: 9, normalize, embed: (t) => t.map(() => [0]) });
    await expect(zeros(true).embed(packTexts(['a']), 'query')).rejects.toThrow(/only zeros for text 0/);
    expect((await zeros(false).embed(packTexts(['a']), 'query')).matrix.data).toEqual(Float32Array.of(0));
  });

  it('may return vectors of any length only where they are brought to length 1', async () => {
    const long = (normalize: boolean) =>
      callerEmbedder({
        model: 'l',
        dims: 2,
        windowTokens: 9,
        normalize,
        embed: (t) => t.map(() => [3e19, 4e19]),
      });
    const { matrix } = await long(true).embed(packTexts(['a']), 'query');
    expect(matrix.data[1]).toBeCloseTo(0.8, 6);
    await expect(long(false).embed(packTexts(['a']), 'query')).rejects.toMatchObject({
      code: 'SLUICE_EMBEDDING_INVALID',
      message: expect.stringMatching(/for text 0 is too long, its length is 5.00e\+19/),
    });
  });

  it('brings vectors along by text', async () => {
    const embed = lookUpVectors(new Map([['known', [0, 2]]]));
    const embedder = callerEmbedder({ model: 'brought', dims: 2, windowTokens: 9, embed });
    expect([...(await embedder.embed(packTexts(['known']), 'passage')).matrix.data]).toEqual([0, 1]);
    await expect(embedder.embed(packTexts(['other']), 'passage')).rejects.toThrow(/no vector .* "other"/);
  });
});
