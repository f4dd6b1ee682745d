/** A reader's filter columns at any generation, against the plain model of it; without threads, so that many fit. */

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Committer } from '../../src/store/commit.js';
import { FilterPublisher } from '../../src/store/filter/publish.js';
import { FilterSnapshot } from '../../src/store/filter/snapshot.js';
import { resolveOptions } from '../../src/store/options.js';
import { createDatabase, lastLabel, openForWriting, writeSetting } from '../../src/store/schema.js';
import { SourceTable } from '../../src/store/sources.js';
import { batch, DIMS, document, newFolder, passport } from './support.js';

const IDS = 9;

type Step =
  | { kind: 'commit'; put: number[]; remove: number[] }
  | { kind: 'publish' }
  | { kind: 'purge' }
  /** To the generation that lies this far back; the other reader stays where it is. */
  | { kind: 'move'; back: number; reader: number };

const ids = fc.uniqueArray(fc.nat(IDS), { maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('commit' as const), put: ids, remove: ids }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('publish' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      back: fc.constantFrom(0, 0, 0, 1, 2, 3),
      reader: fc.nat(1),
    }),
  },
);

/** What each generation holds: ids and the commit that wrote them. */
type States = Map<string, number>[];

class Harness {
  readonly #folder = newFolder();
  readonly #columns = join(this.#folder, 'filters');
  readonly #db;
  readonly #committer;
  readonly #publisher;
  readonly #readers;
  readonly #states: States = [new Map()];
  #purged = 0;

  constructor(filterThreshold: number) {
    const file = join(this.#folder, 'sluice.db');
    createDatabase(file, passport(), 'snapshot');
    this.#db = openForWriting(file);
    this.#committer = new Committer(this.#db, DIMS, new SourceTable(this.#db));
    this.#publisher = new FilterPublisher(this.#db, this.#columns, resolveOptions({ filterThreshold }));
    this.#readers = [0, 1].map(() => new FilterSnapshot(this.#db, this.#columns));
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'commit') this.#commit(step);
    if (step.kind === 'publish') await this.#publisher.publish();
    if (step.kind === 'purge') this.#purge();
    if (step.kind === 'move') await this.#move(step.back, this.#readers[step.reader]!);
  }

  close(): void {
    this.#db.close();
  }

  #commit({ put, remove }: Extract<Step, { kind: 'commit' }>): void {
    const generation = this.#states.length;
    const state = new Map(this.#states.at(-1));
    const documents = put.map((id) => document(`d${id}`, ['x'], { metadata: { v: generation } }));
    const { generation: applied } = this.#committer.apply(
      batch(
        documents,
        remove.map((id) => `d${id}`),
      ),
    );
    if (applied < generation) return;
    for (const id of remove) state.delete(`d${id}`);
    for (const id of put) state.set(`d${id}`, generation);
    this.#states.push(state);
  }

  /** As purgeDead does it, whatever the share of the dead. */
  #purge(): void {
    this.#purged = this.#states.length - 1;
    writeSetting(this.#db, 'purgedUntil', this.#purged);
    this.#db.prepare('DELETE FROM documents WHERE died <= ?').run(this.#purged);
  }

  async #move(back: number, reader: FilterSnapshot): Promise<void> {
    // Readers of generations before a purge are gone.
    const generation = Math.max(this.#states.length - 1 - back, this.#purged, 0);
    await reader.moveTo(generation);
    expect(reader.problem).toBeUndefined();
    const state = this.#states[generation]!;
    expect(await reader.list('', null, 100)).toEqual([...state.keys()].sort());
    const { count } = await reader.select('', Math.max(1, lastLabel(this.#db)));
    expect(count).toBe(state.size);
    if (state.size === 0) return;
    const values = new Map<number, number>();
    for (const value of state.values()) values.set(value, (values.get(value) ?? 0) + 1);
    const facets = await reader.facets('v', '', 100);
    expect(facets.values.map(({ value, documents }) => [value, documents])).toEqual(
      [...values].sort((a, b) => b[1] - a[1] || a[0] - b[0]),
    );
  }
}

it.each([
  ['from memory', 1_000],
  ['from a file and a tail', 2],
])(
  'columns show exactly their generation, %s',
  async (_name, filterThreshold) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const harness = new Harness(filterThreshold);
        try {
          for (const one of steps) await harness.run(one);
          await harness.run({ kind: 'move', back: 0, reader: 0 });
          await harness.run({ kind: 'move', back: 0, reader: 1 });
        } finally {
          harness.close();
        }
      }),
      { numRuns: Number(process.env.SLUICE_TEST_RUNS ?? 30) },
    );
  },
  120_000,
);
