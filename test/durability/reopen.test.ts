import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { StoreReader } from '../../src/model/store.js';
import { createOrOpenStore, FORMAT_VERSION, openStore, type StoreOptions } from '../../src/store/index.js';
import { documentOf, passport, vectorOf } from './documents.mjs';
import { OFTEN } from './kinds.js';
import { checkIndex, History } from './model.js';
import { newRoot } from './program.js';

const newFolder = () => join(newRoot(), 'index');
const make = (folder: string, options: StoreOptions) =>
  createOrOpenStore(folder, { passport: passport(FORMAT_VERSION), threads: 2, ...options });

async function topTen(reader: StoreReader) {
  const all = await reader.select(undefined);
  const vectors = await reader.searchVectors(vectorOf('question'), 10, all);
  const words = await reader.searchKeywords('alpha part3', 10, all);
  return [vectors, words].map(({ labels, scores }) => ({ labels: [...labels], scores: [...scores] }));
}

describe('after reopening (S1)', () => {
  /** Around batches, caches and the thresholds that are set below. */
  const SIZES = [999, 1_000, 1_001, 2_047, 2_048, 2_049, 4_095, 4_096, 4_097, 5_000];

  it.each(SIZES)('%i chunks: the same top ten, with the same scores', async (size) => {
    for (const options of [{}, { graphThreshold: 1_000, keywordCommitChunks: 1_000_000 }]) {
      const folder = newFolder();
      const store = await make(folder, options);
      const writer = await store.writer();
      for (let at = 0, n = 0; at < size; n++) {
        const documents: ReturnType<typeof documentOf>[] = [];
        for (; at < size && documents.length < 4; at += 125) {
          documents.push(documentOf(`d${at}`, n, Math.min(125, size - at)));
        }
        await writer.commit({ documents, removeDocuments: [], sources: [] });
      }
      await writer.publish();
      const before = await topTen(await store.reader());
      expect(before.map(({ labels }) => labels.length)).toEqual([10, 10]);
      await store.close();
      const again = await openStore(folder, options);
      const reader = await again.reader();
      expect(await topTen(reader)).toEqual(before);
      const { chunks, graphVectors } = await reader.stats();
      expect(chunks).toBe(size);
      expect(graphVectors > 0).toBe('graphThreshold' in options && size > 1_000);
      await again.close();
    }
  });
});

describe('a torn log (S2)', () => {
  const HEAD_BYTES = 32;
  const FRAME_BYTES = 24 + 8_192;

  it('cut at any byte of its end: the commits before, and the next write works', async () => {
    const folder = newFolder();
    const store = await make(folder, OFTEN);
    const writer = await store.writer();
    const history = new History();
    const ends: number[] = [];
    const log = join(folder, 'sluice.db-wal');
    for (let version = 1; version <= 4; version++) {
      history.hear(JSON.stringify({ begin: { put: [[`d${version}`, version, 3]], remove: [], update: [] } }));
      const documents = [documentOf(`d${version}`, version, 3)];
      const { generation } = await writer.commit({ documents, removeDocuments: [], sources: [] });
      history.hear(JSON.stringify({ done: generation }));
      ends.push(readFileSync(log).length);
    }
    const [whole, wholeLog] = [readFileSync(join(folder, 'sluice.db')), readFileSync(log)];
    await store.close();

    const cutTo = (bytes: number): string => {
      const copy = newFolder();
      mkdirSync(copy);
      writeFileSync(join(copy, 'sluice.db'), whole);
      writeFileSync(join(copy, 'sluice.db-wal'), wholeLog.subarray(0, bytes));
      return copy;
    };
    const generationAt = (folder: string): number => {
      const db = new Database(join(folder, 'sluice.db'));
      const generation = db.prepare("SELECT value FROM settings WHERE key = 'generation'").pluck().get();
      db.close();
      return generation as number;
    };
    // Bytes around each frame's borders, and some within.
    const [from, to] = [ends[2]!, ends[3]!];
    const offsets = [0, 1, 8, 16, 23, 24, 25, 512, 4_096, FRAME_BYTES - 1];
    for (let frame = from; frame < to; frame += FRAME_BYTES) {
      expect((frame - HEAD_BYTES) % FRAME_BYTES).toBe(0);
      for (const offset of offsets) {
        const bytes = Math.min(frame + offset, to);
        expect(generationAt(cutTo(bytes)), `${bytes} bytes`).toBe(bytes < to ? 3 : 4);
      }
    }
    for (const bytes of [from, from + 100, from + FRAME_BYTES, to - 1]) {
      const { states, models } = history;
      const expected = { states, models, acknowledged: 3 };
      expect((await checkIndex(cutTo(bytes), expected)).found).toBe(3);
    }
    expect((await checkIndex(folder, history)).found).toBe(4);
  });
});

describe('in one process', () => {
  it('searches go on while documents are added and published', async () => {
    const store = await make(newFolder(), { graphThreshold: 200, keywordCommitChunks: 100 });
    const writer = await store.writer();
    const commit = (version: number) =>
      writer.commit({
        documents: Array.from({ length: 8 }, (_, i) => documentOf(`d${i}`, version, 50)),
        removeDocuments: [],
        sources: [],
      });
    await commit(1);
    await writer.publish();
    const reader = await store.reader();
    let writing = true;
    const searched = (async () => {
      let searches = 0;
      for (; writing; searches++) {
        await reader.refresh();
        const all = await reader.select(undefined);
        expect(all.count).toBe(400);
        const [words, near] = await Promise.all([
          reader.searchKeywords('alpha', 400, all),
          reader.searchVectors(vectorOf('q'), 400, all),
        ]);
        expect([words.labels.length, near.labels.length]).toEqual([400, 400]);
        const keys = (await reader.chunks(words.labels)).map(({ metadata }) => String(metadata.key));
        expect(keys).toHaveLength(400);
        expect(new Set(keys.map((key) => key.split('x')[1])).size).toBe(1);
      }
      return searches;
    })();
    for (let version = 2; version <= 8; version++) {
      await commit(version);
      await writer.publish();
    }
    writing = false;
    expect(await searched).toBeGreaterThan(7);
    await store.close();
  });
});
