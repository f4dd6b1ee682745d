import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { packContext } from '../../src/context/index.js';
import type { Filter } from '../../src/model/filter.js';
import type { SearchOptions, SearchResult } from '../../src/retrieval/index.js';
import { searchIndexes } from '../../src/search-indexes.js';
import { shortlist } from '../../src/store/vector-leg.js';
import { randomness } from '../store/support.js';
import { type Allowed, PlainIndex, toyVector, WORDS } from './plain-index.js';
import { filter } from './random-filters.js';
import { type Plan, planBetween } from './search-plan.js';

/**
 * Random filters and queries through every entry point, against a plain model, while documents come, change and go, on
 * graphs that are walked: with fewer than 10,000 documents not every plan runs. A larger run:
 * SLUICE_FORBIDDEN_PAIRS=100000 SLUICE_FORBIDDEN_DOCUMENTS=20000. Another one:
 * SLUICE_FORBIDDEN_SEED, which every run prints.
 */
const PAIRS = Number(process.env.SLUICE_FORBIDDEN_PAIRS ?? 1_000);
const DOCUMENTS = Number(process.env.SLUICE_FORBIDDEN_DOCUMENTS ?? 10_000);
const SEED = Number(process.env.SLUICE_FORBIDDEN_SEED ?? 2_024);
/** After each of them documents change; before the last, both indexes are compacted. */
const EPOCHS = 4;
const QUERIES_A_FILTER = 10;
const QUERIES_A_PLAN = 15;
/** Share of the documents that each change replaces, removes and adds. */
const CHANGED = 0.05;
/** Cosines of a float32 and of a plain sum differ by less. */
const ROUNDING = 1e-5;

const next = randomness(SEED);
const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;

/** One of the two indexes that are asked, and what its graph holds now. */
interface Side {
  readonly name: string;
  readonly precision: 'int8' | 'float32';
  readonly plain: PlainIndex;
  graphed: number;
  tail: number;
}
let sides: Side[];

interface Tally {
  searches: number;
  places: number;
  /** Places of the vector leg whose score is below the true one. */
  missed: number;
}
const tallies = new Map<string, Tally>();

async function lookAtGraph(side: Side): Promise<void> {
  side.tail = (await side.plain.index.stats()).tailVectors;
  side.graphed = side.plain.graphedVectors();
}

beforeAll(async () => {
  console.log(`SLUICE_FORBIDDEN_SEED=${SEED}`);
  const make = async (name: string, precision: Side['precision'], count: number, seed: number) => {
    const options = { graphThreshold: Math.ceil(count / 10), graph: { precision } };
    const side = { name, precision, plain: await PlainIndex.make(count, seed, options), graphed: 0, tail: 0 };
    await lookAtGraph(side);
    expect(side).toMatchObject({ graphed: count + 1, tail: 0 });
    return side;
  };
  // A float32 graph has no least shortlist, so it is walked under narrower filters than an int8 one.
  sides = [
    await make('main', 'float32', DOCUMENTS, SEED + 1),
    await make('beside', 'int8', Math.ceil(DOCUMENTS * 0.3), SEED + 1_000_000),
  ];
}, 600_000);

/** What a filter allows, by side. */
type AllowedBySide = ReadonlyMap<string, Allowed>;

/** Every document that an answer tells of, and that its filter forbids. */
function forbidden(result: Pick<SearchResult, 'hits' | 'trace'>, allowed: AllowedBySide): string[] {
  const { keywords, vectors, fused, reranked, setAside } = result.trace!;
  return [...result.hits, ...keywords, ...vectors, ...fused, ...reranked, ...setAside]
    .filter(({ index, documentId }) => {
      const [only] = allowed.values();
      return !(index === undefined ? only! : allowed.get(index)!).has(documentId);
    })
    .map(({ index, documentId }) => `${index}/${documentId}`);
}

/** How much of an index a search looks at. */
interface Effort {
  k: number;
  candidates: number;
  ef: number | undefined;
  legs: { vectors?: boolean; keywords?: boolean };
}

function anyEffort(): Effort {
  const k = 1 + Math.floor(next() * 25);
  const legs = pick([{ vectors: false }, { keywords: false }, {}]);
  return { k, candidates: pick([k, k, 100]), ef: pick([1, 1, undefined]), legs };
}

/** So little that graphs of a few thousand vectors are walked, under narrow filters too. */
function leastEffort(): Effort {
  const k = 1 + Math.floor(next() * 6);
  return { k, candidates: k, ef: 1, legs: pick([{ keywords: false }, {}]) };
}

/** Filters under which graphs are scanned, walked, and walked among the allowed, by what the graph holds now. */
function filtersOfPlans({ plain, graphed }: Side): Filter[] {
  const aboutAQuarter = (0.24 * graphed) / plain.documents.size;
  return [{ share: { lt: 0.05 } }, {}, { share: { gte: 0.3 } }, { share: { lt: aboutAQuarter } }];
}

/** One pair: a filter and a query, of one index or of both together. */
async function checkPair(
  given: Filter,
  bySide: AllowedBySide,
  asked: Side[],
  { k, candidates, ef, legs }: Effort,
): Promise<void> {
  const words = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(WORDS));
  const options: SearchOptions = { k, filter: given, legs, candidates, ef, rerank: false, explain: true };
  const query = words.join(' ');
  const isOne = asked.length === 1;
  const result = isOne
    ? await asked[0]!.plain.index.search(query, options)
    : await searchIndexes(
        Object.fromEntries(asked.map(({ name, plain }) => [name, plain.index])),
        query,
        options,
      );
  const allowed = new Map(asked.map(({ name }) => [name, bySide.get(name)!]));
  expect(forbidden(result, allowed)).toEqual([]);
  expect(result.hits).toHaveLength(reachable(allowed, legs.vectors === false ? words : undefined, k));
  const [first] = allowed.keys();
  const wrong = result.hits.filter(({ index = first!, documentId, text, metadata }) => {
    const shown = pickShown(allowed.get(index)!.get(documentId)!);
    return !isDeepStrictEqual({ text, metadata }, shown);
  });
  expect(wrong).toEqual([]);
  await checkContext(result);
  if (isOne && legs.vectors !== false)
    tally(asked[0]!, query, allowed.get(first!)!, { k, candidates, ef, legs }, result);
}

/** How many hits there must be: up to k, of what has one of the words where keywords alone find. */
function reachable(allowed: AllowedBySide, words: string[] | undefined, k: number): number {
  let found = 0;
  for (const some of allowed.values()) {
    for (const { text } of some.values()) {
      if (words !== undefined && !words.some((word) => text.includes(word))) continue;
      found++;
      if (found === k) return k;
    }
  }
  return found;
}

const pickShown = ({ text, metadata }: { text: string; metadata: object }) => ({ text, metadata });

/** A context tells of nothing but the hits that it is made of. */
async function checkContext({ hits }: Pick<SearchResult, 'hits'>): Promise<void> {
  const { used, retrieved } = await packContext(hits, {
    budgetTokens: 200,
    countTokens: (text) => text.length >> 2,
  });
  const ids = new Set(hits.map(({ documentId }) => documentId));
  expect([...used, ...retrieved].filter(({ documentId }) => !ids.has(documentId))).toEqual([]);
}

/** Counts the search under the plan that it must have had, and what the vector leg missed of the exact answer. */
function tally(
  { precision, graphed, tail }: Side,
  query: string,
  allowed: Allowed,
  { k, candidates, ef }: Effort,
  { trace }: Pick<SearchResult, 'trace'>,
): void {
  const depth = Math.max(k, candidates);
  const wanted = precision === 'float32' ? depth : shortlist(depth);
  const effort = Math.max(ef ?? Math.max(100, 2 * depth), wanted);
  // How many of the newest vectors, which are scanned beside the graph, are allowed is not known.
  const plan = planBetween({ vectors: graphed, ef: effort }, Math.max(allowed.size - tail, 0), allowed.size);
  const found = trace!.vectors.map(({ score }) => score);
  expect(found).toHaveLength(Math.min(depth, allowed.size));
  if (plan === undefined) return;
  const exact = PlainIndex.exactScores(toyVector(query), [...allowed.values()], depth);
  const name = `${precision}: ${plan}`;
  const { searches, places, missed } = tallies.get(name) ?? { searches: 0, places: 0, missed: 0 };
  const below = found.filter((score, at) => score < exact[at]! - ROUNDING).length;
  tallies.set(name, { searches: searches + 1, places: places + exact.length, missed: missed + below });
}

/** Every entry point that finds without a query. */
async function checkLists(given: Filter, { plain }: Side, allowed: Allowed): Promise<void> {
  const { index, documents } = plain;
  expect(await index.count({ filter: given })).toEqual({ documents: allowed.size, chunks: allowed.size });
  const page = await index.list({ filter: given, limit: 300 });
  expect(page.documents.filter(({ id }) => !allowed.has(id))).toEqual([]);
  expect(page.documents).toHaveLength(Math.min(300, allowed.size));
  expect(page.cursor === undefined).toBe(allowed.size <= 300);
  const ids = [...Array.from({ length: 40 }, () => pick([...documents.keys()])), 'nobody'];
  expect(await index.has(ids, { filter: given })).toEqual(ids.map((id) => allowed.has(id)));
  for (const id of ids.slice(0, 4)) {
    const got = await index.get(id, { filter: given });
    expect(got && pickShown(got)).toEqual(allowed.has(id) ? pickShown(allowed.get(id)!) : undefined);
  }
  const facets = await index.facets('tenant', { filter: given });
  const tenants = [...allowed.values()].filter(({ metadata }) => metadata.tenant !== undefined);
  expect(facets.reduce((sum, { documents: count }) => sum + count, 0)).toBe(tenants.length);
}

/** Pages and scans all of what a filter allows, each document once. */
async function checkWholeLists(given: Filter, { plain }: Side, allowed: Allowed): Promise<void> {
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await plain.index.list({ filter: given, limit: 1_000, cursor });
    for (const { id } of page.documents) listed.push(id);
    cursor = page.cursor;
  } while (cursor !== undefined);
  const expected = [...allowed.keys()].sort();
  expect(listed.sort()).toEqual(expected);
  const scanned: string[] = [];
  for await (const { id } of plain.index.scan({ filter: given })) scanned.push(id);
  expect(scanned.sort()).toEqual(expected);
}

async function changeAll(epoch: number): Promise<void> {
  for (const { plain } of sides) {
    await plain.change(CHANGED);
    if (epoch === 1) await plain.replaceOften(CHANGED, 3);
    if (epoch === EPOCHS - 2) await plain.index.compact();
  }
  for (const side of sides) await lookAtGraph(side);
}

describe('forbidden hits', () => {
  it(
    `are none in ${PAIRS} random filters and queries, and k come back where k exist`,
    async () => {
      const filters = Math.ceil(PAIRS / EPOCHS / QUERIES_A_FILTER);
      for (let epoch = 0; epoch < EPOCHS; epoch++) {
        if (epoch > 0) await changeAll(epoch);
        for (const side of sides) {
          for (const given of filtersOfPlans(side)) {
            const allowed = new Map([[side.name, side.plain.allowed(given)]]);
            for (let n = 0; n < QUERIES_A_PLAN; n++) await checkPair(given, allowed, [side], leastEffort());
          }
        }
        for (const [at, given] of fc.sample(filter, { numRuns: filters, seed: SEED + epoch }).entries()) {
          const allowed = new Map(sides.map(({ name, plain }) => [name, plain.allowed(given)]));
          const side = sides[at % 3 === 0 ? 1 : 0]!;
          for (let n = 0; n < QUERIES_A_FILTER; n++)
            await checkPair(given, allowed, n % 5 === 0 ? sides : [side], anyEffort());
          await checkLists(given, side, allowed.get(side.name)!);
          if (at % 1_000 === 999) console.log(`epoch ${epoch}, filter ${at + 1} of ${filters}`);
          if (at % 20 === 0) await checkWholeLists(given, side, allowed.get(side.name)!);
        }
      }
      console.log(Object.fromEntries(tallies));
    },
    PAIRS * 200 + 300_000,
  );

  it.each<[string, Plan, number]>([
    ['float32', 'scan', 50],
    ['float32', 'walk', 50],
    ['float32', 'walk among the allowed', 20],
    ['int8', 'scan', 50],
    ['int8', 'walk', 20],
  ])('%s: were looked for by a %s, at least %i times', (precision, plan, least) => {
    const { searches, places, missed } = tallies.get(`${precision}: ${plan}`)!;
    expect(searches).toBeGreaterThanOrEqual(least);
    if (plan === 'scan') {
      // A scan sees all; only a shortlist of int8 may leave one out that is nearly as good as the last.
      expect(missed / places).toBeLessThanOrEqual(precision === 'float32' ? 0 : 0.001);
    } else if (precision === 'float32') {
      // With no more candidates than are wanted a walk misses some: that it did shows that it was a walk.
      expect(missed).toBeGreaterThan(0);
    } else {
      expect(missed / places).toBeLessThan(0.05);
    }
  });
});
