import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { packContext } from '../../src/context/index.js';
import { applyPatch } from '../../src/metadata-patch.js';
import type { Metadata } from '../../src/model/document.js';
import type { Filter } from '../../src/model/filter.js';
import type { SearchResult } from '../../src/retrieval/index.js';
import type { SluiceIndex } from '../../src/sluice-index.js';
import { evaluateFilter, parseFilter } from '../../src/store/index.js';
import { newIndex } from '../index-support.js';
import { randomness } from '../store/support.js';

/**
 * Random filters and queries through every entry point, against a plain model, while documents come, change and go.
 * A larger run: SLUICE_FORBIDDEN_PAIRS=100000 SLUICE_FORBIDDEN_DOCUMENTS=20000
 */
const PAIRS = Number(process.env.SLUICE_FORBIDDEN_PAIRS ?? 2_000);
const DOCUMENTS = Number(process.env.SLUICE_FORBIDDEN_DOCUMENTS ?? 500);
const EPOCHS = 5;

/** Words that no stemmer changes. */
const WORDS = ['bazok', 'celup', 'dimak', 'fonub', 'gaxik', 'hudop', 'jelok', 'kimub', 'lopak', 'muzik'];

const scalar = fc.constantFrom(0, 1, -3.5, 2024, '1', '', 'en', 'é', '😀', '2024-05-01', true, false, null);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.record({ deep: scalar, also: fc.array(scalar, { maxLength: 2 }) }, { requiredKeys: [] }),
  },
);
const metadata = fc.record(
  { a: value, b: value, 'c.d': value, c: value, tenant: fc.constantFrom('x', 'y', 'z') },
  { requiredKeys: [] },
);
const EVERY_FIELD: Metadata = {
  a: { deep: 0, also: [] },
  b: { deep: 0, also: [] },
  'c.d': 0,
  c: { deep: 0, also: [], d: 0 },
  tenant: 'x',
};

const condition = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.record(
    { gte: fc.constantFrom(-5, 0, '2024'), lt: fc.constantFrom(1, 3_000, 'f') },
    { requiredKeys: ['gte'] },
  ),
  fc.record({ ne: scalar }),
  fc.record({ nin: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ overlaps: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ contains: fc.array(scalar, { maxLength: 2 }) }),
  fc.record({ prefix: fc.constantFrom('', '2024', 'e') }),
  fc.record({ exists: fc.boolean() }),
);
const field = fc.constantFrom('a', 'b', 'c', 'c.d', 'a.deep', 'b.also', 'tenant');
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    fc.dictionary(field, condition, { minKeys: 1, maxKeys: 2 }),
    fc.record({ $id: fc.record({ prefix: fc.constantFrom('d1', 'd2', 'd') }) }),
    fc.record({ and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
  ) as fc.Arbitrary<Filter>,
}));

interface Plain {
  id: string;
  text: string;
  metadata: Metadata;
}

let index: SluiceIndex;
const plain = new Map<string, Plain>();
const next = randomness(2024);
const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
let made = 0;

/** One chunk each, of a few words. */
function makeDocuments(count: number, ids?: string[]): Plain[] {
  const fields = fc.sample(metadata, { numRuns: count, seed: made + 1 }) as Metadata[];
  return fields.map((one, i) => ({
    id: ids?.[i] ?? `d${made++}`,
    text: Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick(WORDS)).join(' '),
    metadata: JSON.parse(JSON.stringify(one)),
  }));
}

async function put(documents: Plain[]): Promise<void> {
  await index.add(documents.map((one) => ({ ...one, title: '' })));
  for (const one of documents) plain.set(one.id, one);
}

const passes = (parsed: ReturnType<typeof parseFilter>, { id, metadata }: Plain) =>
  evaluateFilter(parsed, { id, source: id, title: '', format: 'text', metadata });

/** Replaces, updates and removes some of everything. */
async function change(): Promise<void> {
  const ids = [...plain.keys()].filter((id) => id !== 'every');
  const some = Math.ceil(ids.length / 20);
  const chosen = Array.from({ length: some }, () => pick(ids));
  await put(makeDocuments(some, [...new Set(chosen)]).filter(({ id }) => ids.includes(id)));
  const removed = new Set(Array.from({ length: some }, () => pick(ids)));
  await index.remove([...removed]);
  for (const id of removed) plain.delete(id);
  const patch = { set: { tenant: pick(['x', 'y', 'z']), 'a.deep': pick([0, 'en', null]) }, unset: ['b'] };
  // Only where `a` is an object or missing: elsewhere a field inside it would be refused.
  const selected = {
    and: [{ $id: { prefix: `d${Math.floor(next() * 10)}` } }, { 'a.deep': { exists: true } }],
  };
  await index.update({ filter: selected }, patch);
  const parsed = parseFilter(selected);
  for (const one of plain.values()) {
    if (one.id !== 'every' && passes(parsed, one))
      plain.set(one.id, { ...one, metadata: applyPatch(one.metadata, patch) });
  }
  await put(makeDocuments(some));
}

beforeAll(async () => {
  index = await newIndex({ graphThreshold: Math.ceil(DOCUMENTS / 2) });
  await put([{ id: 'every', text: 'nothing', metadata: EVERY_FIELD }]);
  await put(makeDocuments(DOCUMENTS));
}, 600_000);

/** Every document id that an answer tells of. */
function* told(result: SearchResult): Generator<string> {
  for (const hit of result.hits) yield hit.documentId;
  const { keywords, vectors, fused, reranked, setAside } = result.trace!;
  for (const place of [...keywords, ...vectors, ...fused, ...reranked, ...setAside]) yield place.documentId;
}

async function checkPair(given: Filter, allowed: Map<string, Plain>, round: number): Promise<void> {
  const words = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(WORDS));
  const k = 1 + Math.floor(next() * 25);
  const legs = [{ vectors: false }, { keywords: false }, {}][round % 3]!;
  const result = await index.search(words.join(' '), {
    k,
    filter: given,
    legs,
    rerank: false,
    explain: true,
  });
  for (const id of told(result)) expect(allowed.has(id), id).toBe(true);
  const reachable = [...allowed.values()].filter(
    ({ text }) => legs.vectors !== false || words.some((word) => text.split(' ').includes(word)),
  );
  expect(result.hits).toHaveLength(Math.min(k, reachable.length));
  for (const hit of result.hits) {
    const { text, metadata } = allowed.get(hit.documentId)!;
    expect(hit).toMatchObject({ text, metadata });
  }
  const context = await packContext(result.hits, {
    budgetTokens: 200,
    countTokens: (text) => text.length >> 2,
  });
  for (const { documentId } of [...context.used, ...context.retrieved])
    expect(allowed.has(documentId)).toBe(true);
  const asked = pick([...plain.keys()]);
  const got = await index.get(asked, { filter: given });
  expect(got?.metadata).toEqual(allowed.get(asked)?.metadata);
  if (round % 20 === 0) await checkLists(given, allowed);
}

async function checkLists(given: Filter, allowed: Map<string, Plain>): Promise<void> {
  expect(await index.count({ filter: given })).toEqual({ documents: allowed.size, chunks: allowed.size });
  const { documents } = await index.list({ filter: given, limit: 10_000 });
  expect(documents.map(({ id }) => id).sort()).toEqual([...allowed.keys()].sort());
  const ids = [...plain.keys()].slice(0, 50);
  expect(await index.has(ids, { filter: given })).toEqual(ids.map((id) => allowed.has(id)));
  const facets = await index.facets('tenant', { filter: given });
  const tenants = [...allowed.values()].filter(({ metadata }) => metadata.tenant !== undefined);
  expect(facets.reduce((sum, { documents: count }) => sum + count, 0)).toBe(tenants.length);
}

describe('forbidden hits', () => {
  it(
    `are none in ${PAIRS} random filters and queries, and k come back where k exist`,
    async () => {
      for (let epoch = 0; epoch < EPOCHS; epoch++) {
        const filters = fc.sample(filter, { numRuns: Math.ceil(PAIRS / EPOCHS), seed: 77 + epoch });
        for (const [round, given] of filters.entries()) {
          const parsed = parseFilter(given);
          const allowed = new Map([...plain].filter(([, one]) => passes(parsed, one)));
          await checkPair(given, allowed, round);
        }
        await change();
      }
    },
    PAIRS * 200 + 120_000,
  );
});
