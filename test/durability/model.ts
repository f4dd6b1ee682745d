import { expect } from 'vitest';
import type { Store, StoreReader } from '../../src/model/store.js';
import { openStore, verifyIndex } from '../../src/store/index.js';
import { batchOf, type Change, chunkText, vectorOf, wordOf } from './documents.mjs';

/** Dials that make everything happen often. */
export const OFTEN = { graphThreshold: 30, keywordCommitChunks: 25 };

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

/** What a program next to this file has said: the states by generation, and the last one that was acknowledged. */
export class History {
  readonly states = new Map<number, State>();
  acknowledged: number;
  commits = 0;
  failures: { code: string; message: string }[] = [];
  ended = false;

  constructor(generation = 0, state: State = new Map()) {
    this.acknowledged = generation;
    this.states.set(generation, state);
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
    } else if (said.end) {
      this.ended = true;
    }
  }
}

/**
 * Opens an index after something happened to it. It must hold the last acknowledged commit, or one more that was under
 * way; every document is found by keyword, vector and filter; nothing else is there; nothing had to be built anew; and
 * the next write works.
 * @returns the generation and state after that write
 */
export async function checkIndex(
  folder: string,
  { states, acknowledged }: Pick<History, 'states' | 'acknowledged'>,
): Promise<{ found: number; generation: number; state: State }> {
  const store = await openStore(folder, { threads: 1, ...OFTEN });
  try {
    const reader = await store.reader();
    const found = reader.generation;
    expect(found, 'an acknowledged commit is lost').toBeGreaterThanOrEqual(acknowledged);
    const state = states.get(found);
    expect(state, `generation ${found} was never committed`).toBeDefined();
    await expectState(reader, state!);
    expect((await reader.stats()).problems, 'what is derived was good').toEqual([]);
    const change = await writeMore(store, found);
    await reader.refresh();
    expect(reader.generation).toBe(found + 1);
    const after = applied(state!, change);
    await expectState(reader, after);
    await store.close();
    expect((await verifyIndex(folder)).findings).toEqual([]);
    return { found, generation: found + 1, state: after };
  } finally {
    await store.close();
  }
}

async function writeMore(store: Store, generation: number): Promise<Change> {
  const change: Change = { put: [['after', generation, 2]], remove: ['slot0'], update: [] };
  const writer = await store.writer();
  await writer.commit(batchOf(change));
  await writer.publish();
  await writer.close();
  return change;
}

/** Everything that the state says, and nothing else. */
export async function expectState(reader: StoreReader, state: State): Promise<void> {
  const all = await reader.select(undefined);
  const chunks = [...state.values()].reduce((sum, held) => sum + held.chunks, 0);
  expect(all.count).toBe(chunks);
  expect((await reader.searchKeywords('alpha', 1_000_000, all)).labels).toHaveLength(chunks);
  const ids = [...state.keys()];
  expect((await reader.has(ids)).every(Boolean)).toBe(true);
  await Promise.all([...state].map(([id, held]) => expectDocument(reader, all, id, held)));
}

async function expectDocument(
  reader: StoreReader,
  all: Awaited<ReturnType<StoreReader['select']>>,
  id: string,
  { version, chunks, mark }: Held,
): Promise<void> {
  const word = wordOf(id, version);
  const byFilter = await reader.select({ key: word, mark });
  expect(byFilter.count, `${word} by filter`).toBe(chunks);
  const byKeyword = await reader.chunks((await reader.searchKeywords(word, chunks + 1, all)).labels);
  const places = byKeyword.map(({ documentId }) => documentId);
  expect(places, `${word} by keyword`).toEqual(Array(chunks).fill(id));
  const last = chunkText(id, version, chunks - 1);
  const near = await reader.searchVectors(vectorOf(last), 1, all, 1_000);
  expect((await reader.chunks(near.labels))[0]?.text, `${word} by vector`).toBe(last);
}
