import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Context, type PackOptions, type Passage, packContext } from '../../src/context/index.js';

const DOCUMENT = Array.from({ length: 40 }, (_, i) => `word${i} `).join('');

function passage(documentId: string, start: number, end: number, more: Partial<Passage> = {}): Passage {
  return {
    chunkId: `${documentId}:${start}-${end}`,
    documentId,
    source: `${documentId}.md`,
    title: documentId.toUpperCase(),
    headingPath: '',
    text: DOCUMENT.slice(start, end),
    start,
    end,
    page: 0,
    startLine: 1 + Math.floor(start / 20),
    endLine: 1 + Math.floor(Math.max(start, end - 1) / 20),
    ...more,
  };
}

/** Words: not additive at the joints of parts, like real tokens. */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function pack(hits: Passage[], budgetTokens: number): Promise<Context> {
  return packContext(hits, { budgetTokens, countTokens: countWords });
}

describe('packing', () => {
  it('numbers and cites passages best first, down to the lines', async () => {
    const hits = [
      passage('b', 0, 12, { headingPath: 'Firing › Glaze', startLine: 3, endLine: 9 }),
      passage('a', 0, 6, { headingPath: 'A › Cooling', startLine: 4, endLine: 4 }),
    ];
    const context = await pack(hits, 100);
    expect(context.text).toBe(
      '[1] B › Firing › Glaze (b.md:3-9)\nword0 word1 \n\n[2] A › Cooling (a.md:4)\nword0 ',
    );
    expect(context.tokens).toBe(countWords(context.text));
    expect(context.used[0]).toEqual({
      number: 1,
      chunkIds: ['b:0-12'],
      documentId: 'b',
      source: 'b.md',
      title: 'B',
      headingPath: 'Firing › Glaze',
      start: 0,
      end: 12,
      page: 0,
      startLine: 3,
      endLine: 9,
    });
    expect(context.retrieved.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('X2: lists as used what is in the text, and as retrieved all hits', async () => {
    const hits = ['a', 'b', 'c', 'd', 'e'].map((id) => passage(id, 0, 30));
    const context = await pack(hits, 18);
    expect(context.used.map(({ documentId }) => documentId)).toEqual(['a', 'b']);
    expect(context.retrieved.map(({ documentId, number }) => [documentId, number])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', null],
      ['d', null],
      ['e', null],
    ]);
  });

  it('X3: names the file of each passage, not that of the first', async () => {
    const context = await pack(
      ['a', 'b', 'c'].map((id) => passage(id, 0, 12)),
      100,
    );
    expect(context.used.map(({ source }) => source)).toEqual(['a.md', 'b.md', 'c.md']);
    expect(context.text).toContain('[3] C (c.md:1)');
  });

  it('skips a passage that does not fit, and takes smaller ones behind it', async () => {
    const context = await pack([passage('big', 0, 200), passage('small', 0, 12)], 10);
    expect(context.used.map(({ documentId }) => documentId)).toEqual(['small']);
  });

  it('joins overlapping and adjoining passages of a document at the place of the best', async () => {
    const hits = [passage('a', 30, 60), passage('b', 0, 12), passage('a', 60, 80), passage('a', 0, 36)];
    const context = await pack(hits, 100);
    expect(
      context.used.map(({ documentId, start, end, chunkIds }) => [documentId, start, end, chunkIds]),
    ).toEqual([
      ['a', 0, 80, ['a:0-36', 'a:30-60', 'a:60-80']],
      ['b', 0, 12, ['b:0-12']],
    ]);
    expect(context.text.split('\n')[1]).toBe(DOCUMENT.slice(0, 80));
    expect(context.used[0]).toMatchObject({ startLine: 1, endLine: 4 });
    expect(context.retrieved.map(({ number }) => number)).toEqual([1, 2, 1, 1]);
  });

  it('joins two passages when a third closes the gap between them', async () => {
    const context = await pack([passage('a', 0, 20), passage('a', 40, 60), passage('a', 18, 42)], 100);
    expect(context.used.map(({ start, end }) => [start, end])).toEqual([[0, 60]]);
  });

  it('heads a joined passage with the headings that its parts share', async () => {
    const hits = [
      passage('a', 0, 20, { headingPath: 'Kilns › Firing › Glaze' }),
      passage('a', 20, 40, { headingPath: 'Kilns › Firing › Bisque' }),
    ];
    expect((await pack(hits, 100)).used[0]!.headingPath).toBe('Kilns › Firing');
  });

  it('gives an empty context for no hits and for a budget of 0', async () => {
    const empty = { text: '', used: [], tokens: 0 };
    expect(await pack([], 10)).toMatchObject(empty);
    expect(await pack([passage('a', 0, 10)], 0)).toMatchObject(empty);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the budget %d', async (budget) => {
    await expect(pack([], budget)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it.each([undefined, null, 5])('refuses the options %s', async (options) => {
    await expect(packContext([], options as never)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it('refuses a counter that does not count', async () => {
    const packing = packContext([passage('a', 0, 9)], { budgetTokens: 9, countTokens: () => Number.NaN });
    await expect(packing).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });

  it.each([undefined, null, 'cl100k'])('says what to give where the counter is %s', async (counter) => {
    const options = { budgetTokens: 9, countTokens: counter } as unknown as PackOptions;
    await expect(packContext([], options)).rejects.toMatchObject({
      code: 'SLUICE_USAGE',
      message: expect.stringMatching(/countTokens must be a function.*; give/),
    });
  });

  it('waits for a counter that counts elsewhere, and counts no text twice', async () => {
    const counted: string[] = [];
    const countTokens = async (text: string) => {
      counted.push(text);
      return countWords(text);
    };
    const context = await packContext([passage('a', 0, 12), passage('b', 0, 12)], {
      budgetTokens: 50,
      countTokens,
    });
    expect(context.used).toHaveLength(2);
    expect(new Set(counted).size).toBe(counted.length);
  });

  const hits = fc.array(
    fc
      .tuple(fc.constantFrom('a', 'b'), fc.nat(150), fc.integer({ min: 1, max: 80 }))
      .map(([id, start, length]) => passage(id, start, Math.min(DOCUMENT.length, start + length))),
    { maxLength: 10 },
  );
  // The second counts more for a whole than for its parts: the budget must hold all the same.
  const counters = fc.constantFrom(countWords, (text: string) => Math.ceil(text.length ** 1.1 / 5));

  it('never goes over the budget, and every passage is a whole slice of its document', async () => {
    await fc.assert(
      fc.asyncProperty(hits, fc.nat(120), counters, async (given, budgetTokens, countTokens) => {
        const context = await packContext(given, { budgetTokens, countTokens });
        expect(context.tokens).toBeLessThanOrEqual(budgetTokens);
        expect(context.tokens).toBe(context.text === '' ? 0 : countTokens(context.text));
        for (const { start, end } of context.used) expect(context.text).toContain(DOCUMENT.slice(start, end));
        for (const [i, a] of context.used.entries()) {
          for (const b of context.used.slice(i + 1)) {
            expect(a.documentId !== b.documentId || a.end < b.start || b.end < a.start).toBe(true);
          }
        }
        const roomy = await packContext(given, { budgetTokens: 1_000_000, countTokens });
        expect(roomy.retrieved.every(({ number }) => number !== null)).toBe(true);
      }),
    );
  });
});
