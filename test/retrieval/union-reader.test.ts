import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packContext } from '../../src/context/index.js';
import { isAllowed } from '../../src/retrieval/allowed.js';
import { UnionReader } from '../../src/retrieval/index.js';
import { type ChunkInput, MemoryReader, toySearch, toyVector } from './memory-index.js';

const word = fc.constantFrom('kiln', 'glows', 'red', 'late', 'order', 'refund');
const chunk = fc.record({
  documentId: fc.constantFrom('a', 'b', 'c'),
  text: fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' ')),
  metadata: fc.record({ lang: fc.constantFrom('en', 'de') }),
}) as fc.Arbitrary<ChunkInput>;

/** Each chunk lies apart from the others of its document, so that nothing is one passage. */
const apart = (chunks: ChunkInput[]) => chunks.map((one, row) => ({ ...one, start: row * 100 }));

async function union(...parts: ChunkInput[][]): Promise<UnionReader> {
  const readers = parts.map((chunks, i) => ({
    name: `index ${i}`,
    reader: new MemoryReader(apart(chunks), (row) => 1 + row * (i + 2)),
  }));
  return UnionReader.of(readers as never);
}

describe('UnionReader', () => {
  it('finds by vectors what one index of everything finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(chunk, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom(undefined, { lang: 'en' }),
        async (parts, words, k, filter) => {
          const joined = await union(...parts);
          const allowed = await joined.select(filter);
          const found = await joined.searchVectors(toyVector(words.join(' ')), k, allowed);
          const all = new MemoryReader(apart(parts.flat()));
          const expected = await all.searchVectors(toyVector(words.join(' ')), k, await all.select(filter));
          expect([...found.scores]).toEqual([...expected.scores]);
          expect([...found.labels].every((label) => isAllowed(label, allowed))).toBe(true);
          expect(allowed.count).toBe((await all.select(filter)).count);
          const chunks = await joined.chunks(found.labels);
          expect(chunks.map(({ label }) => label)).toEqual([...found.labels]);
          chunks.forEach((one, at) => {
            const score = toyVector(one.text).reduce(
              (sum, v, i) => sum + v * toyVector(words.join(' '))[i]!,
              0,
            );
            expect(score).toBeCloseTo(found.scores[at]!, 5);
            const own = parts[Number(one.index!.slice(-1))]!;
            expect(own.map(({ text }) => text)).toContain(one.text);
          });
        },
      ),
    );
  });

  it('keeps documents of one id in two indexes apart, in every way of collapsing', async () => {
    const same = { documentId: 'guide', text: 'the kiln glows red', source: 'guide.md' };
    const reader = await union([same], [same, { documentId: 'other', text: 'late order' }]);
    for (const collapse of ['none', 'overlap', 'document'] as const) {
      const { hits } = await toySearch(reader, 'kiln', { k: 2, collapse, legs: { vectors: false } });
      expect(hits.map(({ index, documentId }) => `${index} ${documentId}`).sort()).toEqual([
        'index 0 guide',
        'index 1 guide',
      ]);
    }
    const capped = await toySearch(reader, 'kiln', { k: 2, perDocument: 1, explain: true });
    expect(capped.hits.map(({ index }) => index).sort()).toEqual(['index 0', 'index 1']);
    expect(capped.trace!.setAside).toEqual([]);
    expect(
      capped
        .trace!.fused.slice(0, 2)
        .map(({ index }) => index)
        .sort(),
    ).toEqual(['index 0', 'index 1']);
  });

  it('has passages of one id in two indexes cited apart', async () => {
    const reader = await union(
      [{ documentId: 'guide', text: 'the kiln glows' }],
      [{ documentId: 'guide', text: 'the kiln is cold' }],
    );
    const { hits } = await toySearch(reader, 'kiln', { k: 2 });
    const context = await packContext(hits, { budgetTokens: 1_000, countTokens: (text) => text.length });
    expect(context.used.map(({ index }) => index).sort()).toEqual(['index 0', 'index 1']);
    expect(context.retrieved.map(({ number }) => number)).toEqual([1, 2]);
    expect(context.text).toContain('the kiln glows');
    expect(context.text).toContain('the kiln is cold');
  });
});
