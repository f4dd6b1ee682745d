import { expect } from 'vitest';
import type { Store, StoreReader } from '../../src/model/store.js';
import { openStore, verifyIndex } from '../../src/store/index.js';
import { batchOf, type Change, chunkText, modelOf, vectorOf, wordOf } from './documents.mjs';
import { expectKind, KINDS, type Kind, OFTEN } from './kinds.js';

interface Held {
  version: number;
  chunks: number;
  mark: number;
}

/** The plain model: which version of which document an index holds. */
export type State = ReadonlyMap<string, Held>;

export function applied(state: State, { put, remove, update }: Change): State {
  const after = new Map(state);
  for (const id of remove) after.delete(id);
  for (const [id, version, chunks] of put) after.set(id, { version, chunks, mark: 0 });
  for (const [id, version, mark] of update) {
    const held = after.get(id);
    if (held) after.set(id, { ...held, version, mark });
  }
  return after;
}

/** What is known of an index: its newest commit, what that one holds, and the number of the model of its vectors. */
export interface Known {
  generation: number;
  state: State;
  model: number;
}

export const NOTHING: Known = { generation: 0, state: new Map(), model: 1 };

/** What a program next to this file has said: the states by generation, and the last one that was acknowledged. */
export class History {
  readonly states = new Map<number, State>();
  /** Models that the vectors may be of: the last one that was acknowledged, and the one that was under way. */
  readonly models: Set<number>;
  /** The file at which the recorder killed it. */
  killed = '';
  /** The most calls that met the recorder's rule in one step. */
  calls = 0;
  acknowledged: number;
  commits = 0;
  failures: { code: string; message: string }[] = [];
  ended = false;

  constructor({ generation, state, model }: Known = NOTHING) {
    this.acknowledged = generation;
    this.states.set(generation, state);
    this.models = new Set([model]);
  }

  hear(line: string): void {
    const said = JSON.parse(line);
    if (said.begin) {
      this.states.set(this.acknowledged + 1, applied(this.states.get(this.acknowledged)!, said.begin));
    } else if (said.done) {
      expect(said.done, 'each commit is one generation').toBe(this.acknowledged + 1);
      this.acknowledged = said.done;
      this.commits++;
    } else if (said.failed) {
      this.states.delete(this.acknowledged + 1);
      this.failures.push(said.failed);
    } else if (said.reembeds) {
      this.models.add(said.reembeds);
    } else if (said.reembedded) {
      for (const model of this.models) if (model !== said.reembedded) this.models.delete(model);
    } else if (said.killed) {
      this.killed = said.killed;
    } else if (said.calls) {
      this.calls = Math.max(this.calls, said.calls);
    } else if (said.end) {
      this.ended = true;
    }
  }
}

/**
 * Opens an index after something happened to it. It must hold the last acknowledged commit, or one more that was under
 * way; every document is found by keyword, vector and filter; nothing else is there; nothing had to be built anew; and
 * the next write works, and leaves all that this kind of index is to have.
 * @returns what was found, and what is known after that write
 */
export async function checkIndex(
  folder: string,
  { states, models, acknowledged }: Pick<History, 'states' | 'models' | 'acknowledged'>,
  kind: Kind = KINDS[0]!,
): Promise<Known & { found: number }> {
  const store = await openStore(folder, { threads: 1, ...OFTEN, ...kind });
  try {
    const model = modelOf(store.passport);
    expect([...models], 'the model of the vectors').toContain(model);
    const reader = await store.reader();
    const found = reader.generation;
    expect(found, 'an acknowledged commit is lost').toBeGreaterThanOrEqual(acknowledged);
    const state = states.get(found);
    expect(state, `generation ${found} was never committed`).toBeDefined();
    await expectState(reader, state!, model);
    const problems = (await reader.stats()).problems!;
    expect(problems, 'what is derived was good').toEqual([]);
    const change = await writeMore(store, found, model);
    await reader.refresh();
    expect(reader.generation).toBe(found + 1);
    const after = applied(state!, change);
    await expectState(reader, after, model);
    await expectKind(folder, reader, kind);
    await store.close();
    const { findings } = await verifyIndex(folder);
    expect(findings.map(({ file, place, problem }) => `${file}, ${place}: ${problem}`).join('; ')).toBe('');
    return { found, generation: found + 1, state: after, model };
  } finally {
    await store.close();
  }
}

async function writeMore(store: Store, generation: number, model: number): Promise<Change> {
  const change: Change = { put: [['after', generation, 2]], remove: ['slot0'], update: [] };
  const writer = await store.writer();
  await writer.commit(batchOf(change, model));
  await writer.publish();
  await writer.close();
  return change;
}

/** Everything that the state says, and nothing else. */
export async function expectState(reader: StoreReader, state: State, model = 1): Promise<void> {
  const all = await reader.select(undefined);
  const chunks = [...state.values()].reduce((sum, held) => sum + held.chunks, 0);
  expect(all.count).toBe(chunks);
  expect((await reader.searchKeywords('alpha', 1_000_000, all)).labels).toHaveLength(chunks);
  const ids = [...state.keys()];
  expect((await reader.has(ids)).every(Boolean)).toBe(true);
  await Promise.all([...state].map(([id, held]) => expectDocument(reader, all, id, held, model)));
}

async function expectDocument(
  reader: StoreReader,
  all: Awaited<ReturnType<StoreReader['select']>>,
  id: string,
  { version, chunks, mark }: Held,
  model: number,
): Promise<void> {
  const word = wordOf(id, version);
  const byFilter = await reader.select({ key: word, mark });
  expect(byFilter.count, `${word} by filter`).toBe(chunks);
  const byKeyword = await reader.chunks((await reader.searchKeywords(word, chunks + 1, all)).labels);
  const places = byKeyword.map(({ documentId }) => documentId);
  expect(places, `${word} by keyword`).toEqual(Array(chunks).fill(id));
  const last = chunkText(id, version, chunks - 1);
  const near = await reader.searchVectors(vectorOf(last, model), 1, all, 1_000);
  expect((await reader.chunks(near.labels))[0]?.text, `${word} by vector`).toBe(last);
}
