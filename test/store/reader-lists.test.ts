import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue, Metadata } from '../../src/model/document.js';
import type { FilterScalar } from '../../src/model/filter.js';
import { elementsOf, evaluateFilter, fieldValue } from '../../src/store/filter/evaluate.js';
import { parseFilter } from '../../src/store/filter/parse.js';
import { batch, document, newStore } from './support.js';

const scalar = fc.constantFrom<FilterScalar>(0, 1, 2.5, '1', '', 'é', '\uffff', '😀', true, false, null);
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.constant({ deep: 1 }),
) as fc.Arbitrary<JsonValue>;
const metadata = fc.record({ a: value, b: value }, { requiredKeys: [] }) as fc.Arbitrary<Metadata>;
const filter = fc.oneof(
  fc.constant(undefined),
  scalar.map((one) => ({ a: one })),
  scalar.map((one) => ({ not: { b: one } })),
  fc.constant({ b: { exists: true } }),
);

interface Plain {
  id: string;
  metadata: Metadata;
  chunks: number;
}

const codePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function passing(documents: Plain[], given: object | undefined): Plain[] {
  const parsed = parseFilter(given ?? {});
  return documents
    .filter(({ id, metadata }) =>
      evaluateFilter(parsed, { id, source: id, title: id, format: 'text', metadata }),
    )
    .sort((a, b) => codePoints(a.id, b.id));
}

function facetsByHand(documents: Plain[], field: string) {
  const found = new Map<FilterScalar, { value: FilterScalar; documents: number; chunks: number }>();
  for (const { id, metadata, chunks } of documents) {
    const held = fieldValue(field, { id, source: id, title: id, format: 'text', metadata });
    for (const one of new Set(held === undefined ? [] : elementsOf(held))) {
      const known = found.get(one) ?? { value: one, documents: 0, chunks: 0 };
      found.set(one, { value: one, documents: known.documents + 1, chunks: known.chunks + chunks });
    }
  }
  return [...found.values()];
}

describe('count, list and facets of a reader', () => {
  it('agree with a plain model after adding, replacing, updating and removing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(metadata, { minLength: 1, maxLength: 12 }),
        fc.array(metadata, { maxLength: 4 }),
        filter,
        fc.integer({ min: 1, max: 5 }),
        async (all, changed, given, limit) => {
          const store = await newStore();
          const writer = await store.writer();
          // Knows both fields, so that no filter fails for an unknown one.
          const everyField = { a: { deep: 0 }, b: [] };
          let plain: Plain[] = [everyField, ...all].map((fields, i) => ({
            id: `${['é', 'z', '😀', '\uffff'][i % 4]}${i}`,
            metadata: fields as Metadata,
            chunks: i % 3,
          }));
          const texts = (count: number) => Array.from({ length: count }, (_, i) => `chunk ${i}`);
          await writer.commit(
            batch(plain.map((one) => document(one.id, texts(one.chunks), { metadata: one.metadata }))),
          );
          const updates = changed.map((fields, i) => ({
            id: plain[1 + (i % all.length)]!.id,
            metadata: fields,
          }));
          await writer.commit({ ...batch([]), updateMetadata: updates });
          for (const { id, metadata: fields } of updates) {
            plain = plain.map((one) => (one.id === id ? { ...one, metadata: fields } : one));
          }
          const removed = plain.length > 3 ? [plain[2]!.id] : [];
          await writer.commit(batch([], removed));
          plain = plain.filter(({ id }) => !removed.includes(id));
          await writer.publish();
          const reader = await store.reader();
          const expected = passing(plain, given);
          expect(await reader.count(given)).toEqual({
            documents: expected.length,
            chunks: expected.reduce((sum, { chunks }) => sum + chunks, 0),
          });
          const listed: Plain[] = [];
          for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
            const page = await reader.list(given, after, limit);
            expect(page.documents.length).toBeLessThanOrEqual(limit);
            listed.push(...page.documents.map(({ id, metadata, chunks }) => ({ id, metadata, chunks })));
            after = page.next;
          }
          expect(listed).toEqual(JSON.parse(JSON.stringify(expected)));
          for (const field of ['a', 'b', '$format']) {
            const facets = await reader.facets(field, given, 1_000);
            const byHand = facetsByHand(expected, field);
            expect(new Set(facets.map((one) => JSON.stringify(one)))).toEqual(
              new Set(byHand.map((one) => JSON.stringify(one))),
            );
            expect(facets.map(({ documents }) => documents)).toEqual(
              facets.map(({ documents }) => documents).sort((x, y) => y - x),
            );
          }
          await store.close();
        },
      ),
      { numRuns: 12 },
    );
  });
});
