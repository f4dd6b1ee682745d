/** The graph's file: hnswlib-node opens it, it comes back whole, and a damaged one is refused. */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import hnswlib from 'hnswlib-node';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NativeGraph, NativeMetric } from '../../src/native/contract.js';
import {
  bitsOf,
  clusteredRows,
  codeOf,
  graphOf,
  labelsFrom,
  native,
  randomNumbers,
  rowOf,
  searchOne,
  similarity,
  temporaryFolder,
} from './support.js';

const folder = temporaryFolder();
const DIMS = 16;
const SIZE = 3000;
const rows = clusteredRows(SIZE, DIMS, 1);
const queries = clusteredRows(50, DIMS, 2);

const SPACES = { cosine: 'cosine', ip: 'ip', l2: 'l2' } as const;

function openInHnswlib(path: string, metric: NativeMetric, ef: number) {
  const index = new hnswlib.HierarchicalNSW(SPACES[metric], DIMS);
  index.readIndexSync(path);
  index.setEf(ef);
  return index;
}

describe.each(['cosine', 'ip', 'l2'] as const)('%s', (metric) => {
  const path = join(folder, `${metric}.hnsw`);
  let graph: NativeGraph;

  beforeAll(async () => {
    graph = await graphOf(rows, DIMS, { metric });
    await graph.save(path, '');
  });

  it('opens in hnswlib-node, which finds the same neighbours', async () => {
    const index = openInHnswlib(path, metric, 100);
    expect(index.getCurrentCount()).toBe(SIZE);
    let agreed = 0;
    for (let q = 0; q < 50; q++) {
      const query = rowOf(queries, DIMS, q);
      const theirs = new Set(index.searchKnn([...query], 10).neighbors);
      const ours = await searchOne(graph, query, 10, { ef: 100 });
      agreed += ours.labels.filter((label) => theirs.has(label)).length;
    }
    expect(agreed / 500).toBeGreaterThan(0.99);
  });

  it('comes back with the same answers, and grows on', async () => {
    const loaded = await native.VectorGraph.load(path, DIMS, metric, 2);
    expect([loaded.size, loaded.dims]).toEqual([SIZE, DIMS]);
    expect(await loaded.search(queries, 10, 50, 2, null)).toEqual(
      await graph.search(queries, 10, 50, 2, null),
    );
    const more = clusteredRows(500, DIMS, 3);
    await loaded.insert(labelsFrom(SIZE, 500), more, 2);
    expect(loaded.size).toBe(SIZE + 500);
    let found = 0;
    for (let i = 0; i < 500; i++) {
      const hit = await searchOne(loaded, rowOf(more, DIMS, i), 1);
      if (hit.labels[0] === SIZE + i) found++;
    }
    if (metric !== 'ip') expect(found).toBe(500);
    expect(await codeOf(() => loaded.insert(Uint32Array.of(0), more.subarray(0, DIMS), 1))).toBe(
      'SLUICE_NATIVE_ARGUMENT',
    );
  });

  it('loads what hnswlib-node wrote', async () => {
    const theirs = new hnswlib.HierarchicalNSW(SPACES[metric], DIMS);
    theirs.initIndex(SIZE + 50, 12, 60, 7);
    for (let label = 0; label < SIZE; label++) theirs.addPoint([...rowOf(rows, DIMS, label)], label);
    const file = join(folder, `theirs-${metric}.hnsw`);
    theirs.writeIndexSync(file);
    theirs.setEf(100);
    const ours = await native.VectorGraph.load(file, DIMS, metric, 2);
    expect(ours.size).toBe(SIZE);
    for (let q = 0; q < 20; q++) {
      const query = rowOf(queries, DIMS, q);
      const { neighbors, distances } = theirs.searchKnn([...query], 5);
      const found = await searchOne(ours, query, 5, { ef: 100 });
      const nearestFirst = neighbors
        .map((label, i) => ({ label, distance: distances[i]! }))
        .sort((a, b) => a.distance - b.distance || a.label - b.label);
      // Where it ends a walk early, ours may find better ones.
      nearestFirst.forEach(({ distance }, i) => {
        const theirScore = metric === 'l2' ? -distance : 1 - distance;
        expect(found.scores[i]! - theirScore).toBeGreaterThan(-1e-2);
        expect(found.scores[i]).toBeCloseTo(
          similarity(query, rowOf(rows, DIMS, found.labels[i]!), metric),
          2,
        );
      });
    }
  });
});

describe('recall against hnswlib-node', () => {
  it('is no lower with the same parameters', async () => {
    const dims = 32;
    const size = 5000;
    const data = clusteredRows(size, dims, 4, 50);
    const asked = clusteredRows(100, dims, 5, 50);
    const graph = await graphOf(data, dims, { metric: 'l2', m: 8, efConstruction: 60 });
    const theirs = new hnswlib.HierarchicalNSW('l2', dims);
    theirs.initIndex(size, 8, 60, 100);
    for (let label = 0; label < size; label++) theirs.addPoint([...rowOf(data, dims, label)], label);
    theirs.setEf(30);
    const flat = native.FlatVectors.create(dims, 'l2', 'float32');
    flat.append(labelsFrom(0, size), data);
    let ours = 0;
    let reference = 0;
    for (let q = 0; q < 100; q++) {
      const query = rowOf(asked, dims, q);
      const truth = new Set((await flat.search(query, 10, 1, null)).labels);
      ours += (await searchOne(graph, query, 10, { ef: 30 })).labels.filter((label) =>
        truth.has(label),
      ).length;
      reference += theirs.searchKnn([...query], 10).neighbors.filter((label) => truth.has(label)).length;
    }
    // Levels are drawn differently, so the graphs are not the same one.
    expect(ours / 1000).toBeGreaterThan(reference / 1000 - 0.02);
  });
});

describe('saving', () => {
  it('keeps duplicates', async () => {
    const path = join(folder, 'duplicates.hnsw');
    const graph = await graphOf(rows, DIMS);
    await graph.insert(labelsFrom(SIZE, 200), rows.subarray(0, 200 * DIMS), 2);
    await graph.save(path, '');
    const loaded = await native.VectorGraph.load(path, DIMS, 'cosine', 2);
    expect(loaded.size).toBe(SIZE + 200);
    for (const row of [0, 100, 199]) {
      const query = rowOf(rows, DIMS, row);
      expect([...(await searchOne(loaded, query, 2)).labels]).toEqual([row, SIZE + row]);
      const only = await searchOne(loaded, query, 1, { allow: bitsOf([...labelsFrom(SIZE, 200)]) });
      expect([...only.labels]).toEqual([SIZE + row]);
    }
    await loaded.insert(Uint32Array.of(9999), rows.subarray(0, DIMS), 1);
    expect([...(await searchOne(loaded, rowOf(rows, DIMS, 0), 3)).labels]).toEqual([0, SIZE, 9999]);
    expect(openInHnswlib(path, 'cosine', 50).getCurrentCount()).toBe(SIZE + 200);
  });

  it.each([0, 1, 2])('of %i vectors works', async (size) => {
    const path = join(folder, `small-${size}.hnsw`);
    const graph = await graphOf(rows.subarray(0, size * DIMS), DIMS, { metric: 'l2' });
    await graph.save(path, '');
    expect(openInHnswlib(path, 'l2', 10).getCurrentCount()).toBe(size);
    const loaded = await native.VectorGraph.load(path, DIMS, 'l2', 2);
    expect(loaded.size).toBe(size);
    expect((await searchOne(loaded, rowOf(rows, DIMS, 0), 5)).labels).toHaveLength(size);
    await loaded.insert(labelsFrom(size, 10), rows.subarray(size * DIMS, (size + 10) * DIMS), 2);
    expect((await searchOne(loaded, rowOf(rows, DIMS, 0), 50)).labels).toHaveLength(size + 10);
  });

  it('replaces the file whole and leaves nothing behind', async () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    const path = join(own, 'g.hnsw');
    const graph = await graphOf(rows.subarray(0, 100 * DIMS), DIMS);
    await Promise.all([
      graph.save(path, ''),
      graph.insert(Uint32Array.of(5000), rows.subarray(0, DIMS), 1),
      graph.save(path, ''),
    ]);
    expect(readdirSync(own)).toEqual(['g.hnsw']);
    expect((await native.VectorGraph.load(path, DIMS, 'cosine', 2)).size).toBe(101);
  });

  it('into a missing folder fails and leaves the graph usable', async () => {
    const graph = await graphOf(rows.subarray(0, 10 * DIMS), DIMS);
    expect(await codeOf(() => graph.save(join(folder, 'no', 'such', 'g.hnsw'), ''))).toBe('SLUICE_NOT_FOUND');
    expect(graph.size).toBe(10);
    expect((await searchOne(graph, rowOf(rows, DIMS, 0), 1)).labels[0]).toBe(0);
  });

  it('over a folder fails and keeps no temporary file', async () => {
    const own = join(folder, 'taken');
    mkdirSync(join(own, 'g.hnsw'), { recursive: true });
    const graph = await graphOf(rows.subarray(0, 10 * DIMS), DIMS);
    expect(await codeOf(() => graph.save(join(own, 'g.hnsw'), ''))).toBe('SLUICE_NATIVE_FAILED');
    expect(readdirSync(own)).toEqual(['g.hnsw']);
  });
});

describe('a file that is wrong', () => {
  const good = join(folder, 'good.hnsw');
  const damaged = join(folder, 'damaged.hnsw');
  let bytes: Buffer;
  let answers: unknown;

  beforeAll(async () => {
    const graph = await graphOf(rows.subarray(0, 400 * DIMS), DIMS, { m: 4 });
    await graph.save(good, '');
    bytes = readFileSync(good);
    answers = await graph.search(queries, 5, 10, 1, null);
  });

  async function loadBytes(content: Uint8Array): Promise<string | undefined> {
    writeFileSync(damaged, content);
    return codeOf(() => native.VectorGraph.load(damaged, DIMS, 'cosine', 2));
  }

  it('is refused at every sixteenth of its length', async () => {
    for (let part = 0; part < 16; part++) {
      const end = Math.floor((bytes.length * part) / 16);
      expect(await loadBytes(bytes.subarray(0, end)), `${end} bytes`).toBe('SLUICE_INDEX_CORRUPT');
    }
    expect(await loadBytes(bytes.subarray(0, bytes.length - 1))).toBe('SLUICE_INDEX_CORRUPT');
    expect(await loadBytes(Buffer.concat([bytes, Buffer.from([0])]))).toBe('SLUICE_INDEX_CORRUPT');
    expect(await loadBytes(bytes)).toBeUndefined();
  });

  it('is refused with any bit of the header flipped', async () => {
    for (let bit = 0; bit < 96 * 8; bit++) {
      const copy = Buffer.from(bytes);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      expect(await loadBytes(copy), `bit ${bit}`).toBe('SLUICE_INDEX_CORRUPT');
    }
  });

  it('is refused with random bits flipped anywhere', async () => {
    const random = randomNumbers(6);
    for (let trial = 0; trial < 400; trial++) {
      const copy = Buffer.from(bytes);
      const at = Math.floor(random() * bytes.length);
      copy[at]! ^= 1 << Math.floor(random() * 8);
      expect(await loadBytes(copy), `byte ${at}`).toBe('SLUICE_INDEX_CORRUPT');
    }
  });

  it('is refused with a page of zeros, or of ones', async () => {
    for (let from = 0; from < bytes.length; from += 8192) {
      for (const fill of [0, 0xff]) {
        const copy = Buffer.from(bytes).fill(fill, from, from + 4096);
        if (copy.equals(bytes)) continue;
        expect(await loadBytes(copy), `page at ${from}`).toBe('SLUICE_INDEX_CORRUPT');
      }
    }
  });

  it('without a checksum never crashes a search, whatever is flipped', async () => {
    // What hnswlib writes has no checksum: only the structure can be checked, so some flips stay unseen.
    const theirs = new hnswlib.HierarchicalNSW('l2', DIMS);
    theirs.initIndex(300, 4, 20, 7);
    for (let label = 0; label < 300; label++) theirs.addPoint([...rowOf(rows, DIMS, label)], label);
    const file = join(folder, 'unsummed.hnsw');
    theirs.writeIndexSync(file);
    const content = readFileSync(file);
    const random = randomNumbers(8);
    for (let trial = 0; trial < 600; trial++) {
      const copy = Buffer.from(content);
      for (let flips = 0; flips < 3; flips++) {
        // Half of them where the counts and links are.
        const at =
          random() < 0.5
            ? 96 + Math.floor(random() * 36) + Math.floor(random() * 300) * 108
            : random() * copy.length;
        copy[Math.min(Math.floor(at), copy.length - 1)]! ^= 1 << Math.floor(random() * 8);
      }
      writeFileSync(damaged, copy);
      const code = await codeOf(async () => {
        const graph = await native.VectorGraph.load(damaged, DIMS, 'l2', 2);
        await graph.search(queries, 10, 300, 2, null);
        await graph.insert(Uint32Array.of(0xfffffff0, 0xfffffff1), queries.subarray(0, 2 * DIMS), 2);
      });
      expect([undefined, 'SLUICE_INDEX_CORRUPT']).toContain(code);
    }
  });

  it('is told from a missing one, a folder, and other dims', async () => {
    expect(await codeOf(() => native.VectorGraph.load(join(folder, 'none'), DIMS, 'l2', 2))).toBe(
      'SLUICE_NOT_FOUND',
    );
    expect(await codeOf(() => native.VectorGraph.load(folder, DIMS, 'l2', 2))).toMatch(/^SLUICE_/);
    expect(await codeOf(() => native.VectorGraph.load(good, DIMS + 1, 'cosine', 2))).toBe(
      'SLUICE_NATIVE_ARGUMENT',
    );
    await expect(native.VectorGraph.load(good, DIMS + 1, 'cosine', 2)).rejects.toThrow(
      'holds vectors of 16, expected 17',
    );
  });

  it('with rows that are not of unit length is no cosine graph', async () => {
    const path = join(folder, 'long.hnsw');
    await (await graphOf(rows.subarray(0, 10 * DIMS), DIMS, { metric: 'ip' })).save(path, '');
    expect(await codeOf(() => native.VectorGraph.load(path, DIMS, 'cosine', 2))).toBe('SLUICE_INDEX_CORRUPT');
  });

  it('was not changed by all this', async () => {
    expect(existsSync(good) && statSync(good).size).toBe(bytes.length);
    copyFileSync(good, damaged);
    const loaded = await native.VectorGraph.load(damaged, DIMS, 'cosine', 2);
    expect(await loaded.search(queries, 5, 10, 1, null)).toEqual(answers);
  });
});
