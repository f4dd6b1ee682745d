import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrOpenStore, FORMAT_VERSION, openStore, verifyIndex } from '../../src/store/index.js';
import { documentOf, passport, randomness } from './documents.mjs';
import { newRoot, STORE, startProgram } from './program.js';
import { type DiskRule, noRecorder, recorded } from './recorder.js';

/** 32 KiB a vector: 75 MiB of them, more than a graph keeps in memory where it may do otherwise. */
const DIMS = 8_192;
const DOCUMENTS = 8;
const CHUNKS = 300;
/** What makes the cheapest graph of them. */
const OPTIONS = {
  threads: 1,
  graphThreshold: 100,
  graphLinks: 2,
  graphEffort: 4,
  vectorPrecision: 'float32',
} as const;

/** The nameless file goes by the name of its folder. */
const SPILL = { operations: 't', path: 'graph$' };

const root = newRoot();
const folder = join(root, 'index');
const graphFiles = () => (existsSync(join(folder, 'graph')) ? readdirSync(join(folder, 'graph')).sort() : []);

function vectorsOf(n: number): Float32Array {
  const next = randomness(n);
  return Float32Array.from({ length: CHUNKS * DIMS }, () => next() - 0.5);
}

/** Fills an index of which nothing is in a graph. */
async function fill(): Promise<void> {
  const plain = passport(FORMAT_VERSION);
  const store = await createOrOpenStore(folder, {
    passport: { ...plain, embedder: { ...plain.embedder, dims: DIMS } },
    threads: 1,
    storedVectors: 'float16',
  });
  const writer = await store.writer();
  for (let n = 0; n < DOCUMENTS; n++) {
    const { record } = documentOf(`d${n}`, 1, CHUNKS);
    const vectors = { rows: CHUNKS, dims: DIMS, data: vectorsOf(n) };
    await writer.commit({ documents: [{ record, vectors }], removeDocuments: [], sources: [] });
  }
  await writer.publish();
  await store.close();
}

async function publish(rule: DiskRule) {
  const seen = { calls: 0, killed: '', published: false };
  const env = recorded(root, { rules: [rule] });
  const argument = { store: STORE, folder, options: OPTIONS };
  const hear = (line: string) => void Object.assign(seen, JSON.parse(line));
  const { signal, status, errors } = await startProgram('publish.mjs', argument, { env, hear }).ended;
  expect(signal === 'SIGKILL' || status === 0, errors).toBe(true);
  return { ...seen, signal };
}

/** Everything is there, and each vector finds its chunk. */
async function expectWhole(graphVectors: number): Promise<void> {
  const store = await openStore(folder, { threads: 1 });
  const reader = await store.reader();
  const chunks = DOCUMENTS * CHUNKS;
  expect(await reader.stats()).toMatchObject({ documents: DOCUMENTS, chunks, graphVectors, problems: [] });
  const all = await reader.select(undefined);
  expect((await reader.searchKeywords('alpha', 10_000, all)).labels).toHaveLength(chunks);
  for (let n = 0; n < DOCUMENTS; n++) {
    const vector = vectorsOf(n).slice(-DIMS);
    // As many candidates as there are: the links of this graph are few.
    const { labels } = await reader.searchVectors(vector, 1, all, chunks);
    const [found] = await reader.chunks(labels);
    expect(found).toMatchObject({ documentId: `d${n}`, startLine: CHUNKS });
  }
  await store.close();
  expect((await verifyIndex(folder)).findings).toEqual([]);
}

/** Removes the graph: the next publish builds another. */
function forgetGraph(): void {
  rmSync(join(folder, 'graph'), { recursive: true });
}

describe.skipIf(noRecorder !== undefined)(
  `a graph whose vectors are spilled${noRecorder ? `: ${noRecorder}` : ''}`,
  () => {
    let spilled = 0;
    beforeAll(async () => {
      await fill();
      const { calls, published } = await publish({ ...SPILL, skip: Number.MAX_SAFE_INTEGER, action: 'KILL' });
      expect(published).toBe(true);
      expect(calls, 'what lies in the nameless file').toBeGreaterThan(1);
      expect(graphFiles()).toEqual(['8.hnsw', '8.json']);
      await expectWhole(DOCUMENTS * CHUNKS);
      spilled = calls;
      forgetGraph();
    });

    it('leaves no file and loses nothing when it is killed while it spills', async () => {
      for (const skip of [0, spilled - 1]) {
        const { signal, killed } = await publish({ ...SPILL, skip, action: 'KILL' });
        expect([signal, killed]).toEqual(['SIGKILL', 'index/graph']);
        expect(graphFiles()).toEqual([]);
        await expectWhole(0);
      }
    });

    it('leaves nothing that the next one does not take away when it is killed while it is written', async () => {
      const { signal } = await publish({ operations: 'w', path: '.hnsw', skip: 3, action: 'KILL' });
      expect(signal).toBe('SIGKILL');
      expect(graphFiles()).not.toContain('8.hnsw');
      await expectWhole(0);
      expect((await publish({ ...SPILL, skip: Number.MAX_SAFE_INTEGER, action: 'KILL' })).published).toBe(
        true,
      );
      expect(graphFiles()).toEqual(['8.hnsw', '8.json']);
      await expectWhole(DOCUMENTS * CHUNKS);
      forgetGraph();
    });

    it('is built in memory where the disk has no room for the file', async () => {
      for (const skip of [0, spilled - 1]) {
        expect(await publish({ ...SPILL, skip, action: 'ENOSPC' })).toMatchObject({ published: true });
        expect(graphFiles()).toEqual(['8.hnsw', '8.json']);
        await expectWhole(DOCUMENTS * CHUNKS);
        forgetGraph();
      }
    });
  },
);
