import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  CommitBatch,
  LabelSet,
  LegResult,
  Store,
  StoreReader,
  StoreWriter,
} from '../../src/model/store.js';
import { createOrOpenStore, type StoreOptions } from '../../src/store/index.js';
import { batch, DIMS, document, newFolder, passport, vectorOf } from './support.js';

/** The plain model: what a generation holds. */
interface PlainDocument {
  chunks: string[];
  even: boolean;
}
type State = Map<string, PlainDocument>;

type Operation =
  | { kind: 'commit'; put: { id: number; words: number[]; version: number }[]; remove: number[] }
  | { kind: 'publish' }
  | { kind: 'refresh' }
  | { kind: 'reopen' };

const WORDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
const IDS = 12;
/** More by hand: SLUICE_TEST_RUNS=100. */
const RUNS = Number(process.env.SLUICE_TEST_RUNS ?? 5);

const put = fc.record({
  id: fc.nat(IDS - 1),
  words: fc.array(fc.nat(WORDS.length - 1), { minLength: 0, maxLength: 4 }),
  version: fc.nat(1_000),
});
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      put: fc.uniqueArray(put, { maxLength: 5, selector: ({ id }) => id }),
      remove: fc.array(fc.nat(IDS - 1), { maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'publish' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'refresh' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);

/** Chunk i of a version: one word of the vocabulary, and what makes its vector its own. */
function chunksOf({ words, version }: { words: number[]; version: number }): string[] {
  return words.map((word, i) => `${WORDS[word]} version ${version} part ${i}`);
}

class Harness {
  readonly #folder = newFolder();
  readonly #options: StoreOptions;
  readonly #states = new Map<number, State>([[0, new Map()]]);
  #store!: Store;
  #reader!: StoreReader;
  #writer!: StoreWriter;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#store = await createOrOpenStore(this.#folder, {
      passport: passport(),
      threads: 2,
      ...this.#options,
    });
    this.#writer = await this.#store.writer();
    this.#reader = await this.#store.reader();
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  async run(operation: Operation): Promise<void> {
    if (operation.kind === 'publish') await this.#writer.publish();
    if (operation.kind === 'refresh') await this.#reader.refresh();
    if (operation.kind === 'commit') await this.#commit(operation);
    if (operation.kind === 'reopen') {
      await this.close();
      await this.open();
      expect(this.#reader.generation).toBe(this.#writer.generation);
    }
  }

  async #commit({ put, remove }: Operation & { kind: 'commit' }): Promise<void> {
    const before = this.#states.get(this.#writer.generation)!;
    const state: State = new Map(before);
    for (const id of remove) state.delete(`d${id}`);
    const documents: CommitBatch['documents'] = [];
    for (const one of put) {
      const chunks = chunksOf(one);
      const even = one.version % 2 === 0;
      state.set(`d${one.id}`, { chunks, even });
      documents.push(document(`d${one.id}`, chunks, { metadata: { even } }));
    }
    const { generation } = await this.#writer.commit(
      batch(
        documents,
        remove.map((id) => `d${id}`),
      ),
    );
    this.#states.set(generation, state);
  }

  /** Everything that a reader answers, against the model of its generation. */
  async check(): Promise<void> {
    const state = this.#states.get(this.#reader.generation)!;
    const live = [...state].flatMap(([id, { chunks, even }]) => chunks.map((text) => ({ id, text, even })));
    const all = await this.#reader.select(undefined);
    expect(all.count).toBe(live.length);
    await this.#checkDocuments(state);
    await this.#checkKeywords(live, all);
    await this.#checkVectors(live, all);
    if (live.some(({ even }) => even)) {
      const even = await this.#reader.select({ even: true });
      expect(even.count).toBe(live.filter((chunk) => chunk.even).length);
      const allowed = live.filter((chunk) => chunk.even);
      await this.#checkKeywords(allowed, even);
      await this.#checkVectors(allowed, even);
    }
  }

  async #checkDocuments(state: State): Promise<void> {
    const ids = Array.from({ length: IDS }, (_, i) => `d${i}`);
    expect(await this.#reader.has(ids)).toEqual(ids.map((id) => state.has(id)));
    for (const id of ids) {
      const found = await this.#reader.document(id);
      expect(found?.chunks.map((chunk) => chunk.text)).toEqual(state.get(id)?.chunks);
    }
    expect((await this.#reader.stats()).documents).toBe(state.size);
  }

  async #checkKeywords(live: { id: string; text: string }[], allowed: LabelSet): Promise<void> {
    for (const word of WORDS) {
      const hits = await this.#reader.searchKeywords(word, 100, allowed);
      const expected = live.filter(({ text }) => text.startsWith(word));
      expect(await this.#named(hits)).toEqual(expected.map(({ id, text }) => `${id}: ${text}`).sort());
    }
  }

  async #checkVectors(live: { id: string; text: string }[], allowed: LabelSet): Promise<void> {
    for (const k of [3, 100]) {
      const query = vectorOf(`query ${k}`);
      const hits = await this.#reader.searchVectors(query, k, allowed);
      const similarities = live
        .map(({ text }) => vectorOf(text).reduce((sum, value, i) => sum + value * query[i]!, 0))
        .sort((a, b) => b - a);
      expect(hits.labels.length).toBe(Math.min(k, live.length));
      hits.scores.forEach((score, i) => {
        expect(score).toBeCloseTo(similarities[i]!, 4);
      });
      if (k < live.length) continue;
      expect(await this.#named(hits)).toEqual(live.map(({ id, text }) => `${id}: ${text}`).sort());
    }
  }

  async #named(hits: LegResult): Promise<string[]> {
    const chunks = await this.#reader.chunks(hits.labels);
    return chunks.map(({ documentId, text }) => `${documentId}: ${text}`).sort();
  }
}

describe('any sequence of commits, publishes, refreshes and reopenings', () => {
  it.each([
    ['without a graph', {}],
    ['with a graph', { graphThreshold: 6 }],
    ['with a float32 graph', { graphThreshold: 6, vectorPrecision: 'float32' }],
    ['with keyword commits in between', { keywordCommitChunks: 5, graphThreshold: 12 }],
  ] as [string, StoreOptions][])(
    'agrees with a plain map, %s',
    async (_name, options) => {
      expect(DIMS).toBe(8);
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 16 }), async (operations) => {
          const harness = new Harness(options);
          await harness.open();
          try {
            for (const one of operations) {
              await harness.run(one);
              if (one.kind !== 'commit') await harness.check();
            }
            await harness.run({ kind: 'reopen' });
            await harness.check();
          } finally {
            await harness.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
    120_000,
  );
});
