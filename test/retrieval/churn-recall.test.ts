import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Filter } from '../../src/model/filter.js';
import type { Store, StoreReader, StoreWriter } from '../../src/model/store.js';
import { createOrOpenStore } from '../../src/store/index.js';
import { shortlist } from '../../src/store/vector-leg.js';
import { clusteredRows, native, rowOf } from '../native-bindings/support.js';
import { batch, document, newFolder, passport, randomness } from '../store/support.js';
import { type Plan, planOf } from './search-plan.js';

/**
 * What a graph finds after its documents were overwritten, deleted and inserted again (F5): its dead vectors stay in it
 * and on the way of a walk. On graphs so large that searches walk them.
 */
const DOCUMENTS = 8_000;
const DIMS = 24;
const K = 10;
const QUERIES = 60;
/** Two sums of the same products differ by less. */
const ROUNDING = 1e-5;
const BATCH = 500;
const TENTHS = 10;

interface Live {
  vector: Float32Array;
  tenth: number;
}

/** A store under churn, and what must be live in it. */
class Churned {
  readonly live = new Map<string, Live>();
  readonly #folder = newFolder();
  readonly #precision: 'int8' | 'float32';
  readonly #next = randomness(5);
  /** Overwritten documents move to other vectors of the same kind. */
  readonly #rows = clusteredRows(DOCUMENTS * 2, DIMS, 51, 60);
  #used = 0;
  #store!: Store;
  #writer!: StoreWriter;
  reader!: StoreReader;

  constructor(precision: 'int8' | 'float32') {
    this.#precision = precision;
  }

  async load(): Promise<void> {
    this.#store = await createOrOpenStore(this.#folder, {
      passport: passport({}, DIMS),
      threads: 2,
      graphThreshold: 500,
      vectorPrecision: this.#precision,
    });
    this.#writer = await this.#store.writer();
    const ids = Array.from({ length: DOCUMENTS }, (_, i) => `d${i}`);
    await this.#put(ids);
    this.reader = await this.#store.reader();
  }

  /** Overwrites 30%, deletes 30% and inserts half of those again, in an order of its own. */
  async churn(): Promise<void> {
    const some = () => [...this.live.keys()].filter(() => this.#next() < 0.3);
    await this.#put(some());
    const gone = some();
    for (let from = 0; from < gone.length; from += BATCH)
      await this.#writer.commit(batch([], gone.slice(from, from + BATCH)));
    for (const id of gone) this.live.delete(id);
    await this.#writer.publish();
    await this.#put(gone.filter((_, i) => i % 2 === 0).reverse());
    await this.reader.refresh();
  }

  /** Three rounds in which the same documents are replaced: most of what was inserted last is dead. */
  async replaceOften(): Promise<void> {
    const ids = [...this.live.keys()].slice(0, DOCUMENTS / 20);
    for (let round = 0; round < 3; round++) await this.#put(ids);
    await this.reader.refresh();
  }

  async compact(): Promise<void> {
    await this.#writer.compact();
    await this.reader.refresh();
  }

  graphed(): number {
    const folder = join(this.#folder, 'graph');
    const [file] = readdirSync(folder).filter((name) => /\.(graph|hnsw)$/.test(name));
    return native.GraphSnapshot.describe(join(folder, file!)).count;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #put(ids: string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const documents = ids.slice(from, from + BATCH).map((id) => {
        const row = rowOf(this.#rows, DIMS, this.#used++ % (DOCUMENTS * 2));
        const length = Math.hypot(...row);
        const one = { vector: row.map((value) => value / length), tenth: Math.floor(this.#next() * TENTHS) };
        this.live.set(id, one);
        return document(id, [id], {
          dims: DIMS,
          vector: () => one.vector,
          metadata: { tenth: one.tenth },
        });
      });
      await this.#writer.commit(batch(documents));
    }
    await this.#writer.publish();
  }
}

const dot = (a: Float32Array, b: Float32Array) => {
  let sum = 0;
  for (let i = 0; i < DIMS; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** Share of the true nearest that come back, over many queries; each answer is as long as it can be. */
async function recall(
  { reader, live }: Churned,
  { filter, passes, ef }: Omit<Filtered, 'plan'>,
): Promise<number> {
  const allowed = await reader.select(filter);
  const documents = [...live.values()].filter(({ tenth }) => passes(tenth));
  expect(allowed.count).toBe(documents.length);
  // Of the same kind as the documents, and none of them.
  const queries = clusteredRows(QUERIES, DIMS, 52, 60);
  let agreed = 0;
  for (let q = 0; q < QUERIES; q++) {
    const query = rowOf(queries, DIMS, q);
    const worst = Float32Array.from(documents, ({ vector }) => dot(vector, query))
      .sort()
      .at(-K)!;
    const { labels } = await reader.searchVectors(query, K, allowed, ef);
    const found = new Set((await reader.chunks(labels)).map(({ documentId }) => documentId));
    expect(found.size).toBe(K);
    const hits = [...found].map((id) => live.get(id)!);
    expect(hits.every(({ tenth }) => passes(tenth))).toBe(true);
    agreed += hits.filter(({ vector }) => dot(vector, query) >= worst - ROUNDING).length;
  }
  return agreed / (QUERIES * K);
}

interface Filtered {
  filter: Filter;
  passes: (tenth: number) => boolean;
  ef: number;
  plan: Plan;
}

const FILTERS: Record<string, Filtered> = {
  'all documents': { filter: {}, passes: () => true, ef: 64, plan: 'walk' },
  'nine tenths': { filter: { tenth: { gte: 1 } }, passes: (tenth) => tenth >= 1, ef: 64, plan: 'walk' },
  'a tenth': { filter: { tenth: 3 }, passes: (tenth) => tenth === 3, ef: 64, plan: 'scan' },
};
/** Dead vectors are forbidden too, so after the churn this is less than a quarter of the graph. */
const FOUR_TENTHS = { filter: { tenth: [0, 1, 2, 3] }, passes: (tenth: number) => tenth < 4, ef: 40 };

describe.each(['int8', 'float32'] as const)('an %s graph under churn (F5)', (precision) => {
  const churned = new Churned(precision);
  beforeAll(() => churned.load());
  afterAll(() => churned.close());

  /** The plans that a search can have had: how much of the tail is allowed is not known. */
  async function plans({ filter, ef }: Pick<Filtered, 'filter' | 'ef'>): Promise<(Plan | undefined)[]> {
    const { count } = await churned.reader.select(filter);
    const { tailVectors } = await churned.reader.stats();
    const vectors = churned.graphed();
    const effort = Math.max(ef, precision === 'int8' ? shortlist(K) : K);
    return [count, count - tailVectors].map((allowed) => planOf({ vectors, allowed, ef: effort }));
  }

  it.each<[string, () => Promise<void>, boolean]>([
    ['as loaded', async () => {}, false],
    ['after overwriting, deleting and inserting again', () => churned.churn(), true],
    ['after replacing the same ones thrice', () => churned.replaceOften(), false],
    ['after compacting', () => churned.compact(), false],
  ])('%s k come back, nearly always the true nearest', async (_when, step, isNewlyDead) => {
    await step();
    for (const [name, filtered] of Object.entries(FILTERS)) {
      expect(await plans(filtered), name).toEqual([filtered.plan, filtered.plan]);
      expect(await recall(churned, filtered), name).toBeGreaterThanOrEqual(0.95);
    }
    expect(await recall(churned, FOUR_TENTHS)).toBeGreaterThanOrEqual(0.95);
    // Among the allowed, or wider: where the query lies decides.
    if (isNewlyDead && precision === 'float32')
      expect(await plans(FOUR_TENTHS)).toEqual([undefined, undefined]);
  });
});
