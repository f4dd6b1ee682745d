/** The HNSW graph: what it finds, in which order, and that it always finds enough. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NativeMetric } from '../../src/native/contract.js';
import {
  bitsOf,
  clusteredRows,
  codeOf,
  expectOrdered,
  graphOf,
  labelsFrom,
  native,
  randomNumbers,
  rowOf,
  searchOne,
  similarity,
} from './support.js';

const METRICS: NativeMetric[] = ['cosine', 'ip', 'l2'];
/** Over the size up to which every vector is scanned, so that walks are what is tested. */
const WALKED = 4000;
const DIMS = 24;

describe.each(METRICS)('%s', (metric) => {
  const rows = clusteredRows(WALKED, DIMS, 1);
  const queries = clusteredRows(60, DIMS, 2);

  it('finds nearly what a scan finds, with true scores', async () => {
    const graph = await graphOf(rows, DIMS, { metric });
    const flat = native.FlatVectors.create(DIMS, metric, 'float32');
    flat.append(labelsFrom(0, WALKED), rows);
    let agreed = 0;
    for (let q = 0; q < 60; q++) {
      const query = rowOf(queries, DIMS, q);
      const found = await searchOne(graph, query, 10, { ef: 100 });
      const exact = await flat.search(query, 10, 1, null);
      expectOrdered(found);
      expectOrdered(exact);
      expect(found.labels).toHaveLength(10);
      const truth = new Set(exact.labels);
      agreed += found.labels.filter((label) => truth.has(label)).length;
      for (const hits of [found, exact]) {
        hits.labels.forEach((label, i) => {
          expect(hits.scores[i]).toBeCloseTo(similarity(query, rowOf(rows, DIMS, label), metric), 2);
        });
      }
    }
    // Inner products of unequal lengths are no metric, and graphs are known to be worse for them.
    expect(agreed / 600).toBeGreaterThan(metric === 'ip' ? 0.85 : 0.98);
  });

  it('scans flat rows like a plain loop', async () => {
    const flat = native.FlatVectors.create(DIMS, metric, 'float32');
    for (let from = 0; from < WALKED; from += 321) {
      const to = Math.min(from + 321, WALKED);
      flat.append(labelsFrom(from, to - from), rows.subarray(from * DIMS, to * DIMS));
    }
    expect(flat.size).toBe(WALKED);
    const query = rowOf(queries, DIMS, 0);
    const scored = Array.from({ length: WALKED }, (_, label) => ({
      label,
      score: similarity(query, rowOf(rows, DIMS, label), metric),
    }));
    scored.sort((a, b) => b.score - a.score || a.label - b.label);
    for (const threads of [1, 2, 5]) {
      const { labels, scores } = await flat.search(query, 50, threads, null);
      expect([...scores].map((s, i) => Math.abs(s - scored[i]!.score) < 1e-3)).not.toContain(false);
      expect(new Set(labels.subarray(0, 10))).toEqual(new Set(scored.slice(0, 10).map((s) => s.label)));
    }
  });
});

describe('k', () => {
  it.each([
    [0, 0, 0],
    [0, 5, 0],
    [1, 5, 1],
    [3, 10, 3],
    [10, 0, 0],
    [10, 10, 10],
    [5000, 4999, 4999],
    [5000, 5000, 5000],
    [5000, 6000, 5000],
  ])('of %i vectors, k = %i gives %i', async (size, k, expected) => {
    const rows = clusteredRows(size, 8, 3);
    const graph = await graphOf(rows, 8);
    const flat = native.FlatVectors.create(8, 'cosine', 'float32');
    flat.append(labelsFrom(0, size), rows);
    const query = clusteredRows(1, 8, 4);
    const found = await searchOne(graph, query, k, { ef: 10 });
    expect(found.labels).toHaveLength(expected);
    expect(new Set(found.labels).size).toBe(expected);
    expectOrdered(found);
    const exact = await flat.search(query, k, 2, null);
    expect(exact.labels).toHaveLength(expected);
    expectOrdered(exact);
  });

  it('answers many queries at once like one by one', async () => {
    const rows = clusteredRows(WALKED, DIMS, 5);
    const graph = await graphOf(rows, DIMS);
    const queries = rows.subarray(0, 40 * DIMS);
    const together = await graph.search(queries, 7, 50, 3, null);
    for (let q = 0; q < 40; q++) {
      const alone = await searchOne(graph, rowOf(queries, DIMS, q), 7, { ef: 50 });
      expect(together.labels.subarray(q * 7, q * 7 + 7)).toEqual(alone.labels);
      expect(together.counts[q]).toBe(7);
    }
  });
});

describe('filters', () => {
  it.each([2500, WALKED])('%i vectors: k allowed ones come back, whatever is allowed', async (size) => {
    const rows = clusteredRows(size, DIMS, 6);
    const graph = await graphOf(rows, DIMS);
    const flat = native.FlatVectors.create(DIMS, 'cosine', 'float32');
    flat.append(labelsFrom(0, size), rows);
    const random = randomNumbers(7);
    const all = [...labelsFrom(0, size)];
    for (const share of [0, 1 / size, 0.001, 0.01, 0.2, 0.9, 1]) {
      const allowed = share === 1 ? all : all.filter(() => random() < share);
      const allow = bitsOf(allowed);
      for (const k of [1, 5, 50]) {
        const query = clusteredRows(1, DIMS, k);
        const found = await searchOne(graph, query, k, { ef: 20, allow });
        expect(found.labels).toHaveLength(Math.min(k, allowed.length));
        expect(new Set(found.labels).size).toBe(found.labels.length);
        for (const label of found.labels) expect(allow[label >> 3]! & (1 << (label & 7))).toBeTruthy();
        expectOrdered(found);
        const exact = await flat.search(query, k, 2, allow);
        expect(exact.labels).toHaveLength(Math.min(k, allowed.length));
        if (allowed.length < 1000) expect(found.labels).toEqual(exact.labels);
      }
    }
  });

  it('finds the only allowed vector at the far end of the graph', async () => {
    const rows = clusteredRows(WALKED, DIMS, 8);
    const graph = await graphOf(rows, DIMS);
    for (const label of [0, 1, 1234, WALKED - 1]) {
      const found = await searchOne(graph, rowOf(rows, DIMS, (label + 2000) % WALKED), 3, {
        allow: bitsOf([label]),
      });
      expect([...found.labels]).toEqual([label]);
    }
  });

  it('ignores bits of labels that do not exist', async () => {
    const graph = await graphOf(clusteredRows(10, 4, 9), 4);
    const allow = bitsOf([3, 9, 10, 5000]);
    expect(new Set((await searchOne(graph, Float32Array.of(1, 2, 3, 4), 8, { allow })).labels)).toEqual(
      new Set([3, 9]),
    );
  });

  it('asks for more than ef', async () => {
    const rows = clusteredRows(WALKED, DIMS, 10);
    const graph = await graphOf(rows, DIMS);
    const allow = bitsOf(labelsFrom(0, 3500));
    expect((await searchOne(graph, rowOf(rows, DIMS, 1), 3000, { ef: 1, allow })).labels).toHaveLength(3000);
  });
});

describe('equal vectors', () => {
  it.each(METRICS)('%s: 1,000 copies hide none of 5,000 others, and all come back (I5)', async (metric) => {
    const others = clusteredRows(5000, DIMS, 11);
    const copied = clusteredRows(1, DIMS, 12);
    const rows = new Float32Array(6000 * DIMS);
    // Copies first, so that the graph starts inside them.
    for (let i = 0; i < 1000; i++) rows.set(copied, i * DIMS);
    rows.set(others, 1000 * DIMS);
    const graph = await graphOf(rows, DIMS, { metric });
    expect(graph.size).toBe(6000);

    const copies = await searchOne(graph, copied, 1000, { ef: 1000 });
    if (metric !== 'ip') expect([...copies.labels]).toEqual([...labelsFrom(0, 1000)]);
    const first = await searchOne(graph, copied, 3, { allow: bitsOf([17, 900, 999, 1000]) });
    if (metric !== 'ip') expect([...first.labels]).toEqual([17, 900, 999]);
    const everything = await searchOne(graph, copied, 6000);
    expect(new Set(everything.labels).size).toBe(6000);

    let atRank1 = 0;
    for (let label = 1000; label < 6000; label++) {
      const found = await searchOne(graph, rowOf(rows, DIMS, label), 1, { ef: 32 });
      if (found.labels[0] === label) atRank1++;
    }
    if (metric !== 'ip') expect(atRank1).toBe(5000);
  });

  it('of which only the copy is allowed are found by a walk', async () => {
    const rows = clusteredRows(WALKED, DIMS, 13);
    const graph = await graphOf(rows, DIMS);
    await graph.insert(labelsFrom(WALKED, 100), rows.subarray(0, 100 * DIMS), 2);
    expect(graph.size).toBe(WALKED + 100);
    const allow = bitsOf(labelsFrom(50, WALKED + 50));
    for (const row of [0, 10, 49]) {
      const found = await searchOne(graph, rowOf(rows, DIMS, row), 1, { allow });
      expect([...found.labels]).toEqual([WALKED + row]);
    }
    const both = await searchOne(graph, rowOf(rows, DIMS, 60), 2);
    expect([...both.labels]).toEqual([60, WALKED + 60]);
  });

  it('sort by label, in the graph and in flat rows', async () => {
    const rows = Float32Array.of(1, 0, 0, 1, 1, 0, 1, 0);
    const labels = Uint32Array.of(9, 8, 3, 5);
    const graph = native.VectorGraph.create(2, 'l2', 'float32', 4, 10, 1);
    await graph.insert(labels, rows, 1);
    const flat = native.FlatVectors.create(2, 'l2', 'float32');
    flat.append(labels, rows);
    const query = Float32Array.of(1, 0);
    expect([...(await searchOne(graph, query, 4)).labels]).toEqual([3, 5, 9, 8]);
    expect([...(await flat.search(query, 4, 2, null)).labels]).toEqual([3, 5, 9, 8]);
    expect([...(await flat.search(query, 2, 2, null)).labels]).toEqual([3, 5]);
  });
});

describe('inserting', () => {
  it('is repeatable with one thread and a seed', async () => {
    const rows = clusteredRows(WALKED, 8, 14);
    const query = clusteredRows(1, 8, 15);
    const graphs = [await graphOf(rows, 8, { threads: 1 }), await graphOf(rows, 8, { threads: 1 })];
    const results = await Promise.all(graphs.map((graph) => searchOne(graph, query, 50, { ef: 50 })));
    expect(results[0]).toEqual(results[1]);
  });

  it.each([1, 2, 4])('in many batches with %i threads finds all', async (threads) => {
    const rows = clusteredRows(WALKED, 8, 16);
    const graph = native.VectorGraph.create(8, 'l2', 'float32', 16, 100, 1);
    const inserts: Promise<void>[] = [];
    for (let from = 0; from < WALKED; ) {
      const to = Math.min(from + 1 + ((from * 7) % 500), WALKED);
      inserts.push(graph.insert(labelsFrom(from, to - from), rows.subarray(from * 8, to * 8), threads));
      from = to;
    }
    await Promise.all(inserts);
    expect(graph.size).toBe(WALKED);
    let found = 0;
    for (let label = 0; label < WALKED; label += 5) {
      if ((await searchOne(graph, rowOf(rows, 8, label), 1)).labels[0] === label) found++;
    }
    expect(found).toBeGreaterThanOrEqual((WALKED / 5) * 0.998);
  });

  it('goes on while searches run', async () => {
    const rows = clusteredRows(6000, 8, 17);
    const graph = await graphOf(rows.subarray(0, 3000 * 8), 8);
    const inserted: Promise<unknown>[] = [];
    const found: Promise<number>[] = [];
    for (let from = 3000; from < 6000; from += 100) {
      inserted.push(graph.insert(labelsFrom(from, 100), rows.subarray(from * 8, (from + 100) * 8), 2));
      found.push(searchOne(graph, rowOf(rows, 8, from % 3000), 5).then(({ labels }) => labels.length));
    }
    await Promise.all(inserted);
    expect(new Set(await Promise.all(found))).toEqual(new Set([5]));
    expect(graph.size).toBe(6000);
  });

  it('refuses a label twice and then takes nothing of the batch', async () => {
    const graph = await graphOf(clusteredRows(3, 4, 18), 4);
    const two = new Float32Array(8).fill(1);
    expect(await codeOf(() => graph.insert(Uint32Array.of(7, 2), two, 1))).toBe('SLUICE_NATIVE_ARGUMENT');
    expect(await codeOf(() => graph.insert(Uint32Array.of(7, 7), two, 1))).toBe('SLUICE_NATIVE_ARGUMENT');
    expect(graph.size).toBe(3);
    await graph.insert(Uint32Array.of(7), two.subarray(0, 4), 1);
    expect(graph.size).toBe(4);
    const flat = native.FlatVectors.create(4, 'ip', 'float32');
    flat.append(Uint32Array.of(1), two.subarray(0, 4));
    expect(() => flat.append(Uint32Array.of(2, 1), two)).toThrow('1 is already in');
    expect(() => flat.append(Uint32Array.of(2, 2), two)).toThrow('2 is already in');
    flat.append(Uint32Array.of(2), two.subarray(0, 4));
    expect(flat.size).toBe(2);
  });

  it('takes labels up to the largest', async () => {
    const graph = native.VectorGraph.create(2, 'ip', 'float32', 4, 10, 1);
    await graph.insert(Uint32Array.of(0xffffffff, 0), Float32Array.of(1, 0, 0, 1), 1);
    expect([...(await searchOne(graph, Float32Array.of(1, 0), 2)).labels]).toEqual([0xffffffff, 0]);
  });

  it('keeps a zero vector at similarity 0', async () => {
    const rows = Float32Array.of(0, 0, 1, 0, -1, 0);
    const graph = native.VectorGraph.create(2, 'cosine', 'float32', 4, 10, 1);
    await graph.insert(Uint32Array.of(1, 2, 3), rows, 1);
    const found = await searchOne(graph, Float32Array.of(5, 0), 3);
    expect(found).toEqual({ labels: Uint32Array.of(2, 1, 3), scores: Float32Array.of(1, 0, -1) });
    const nothing = await searchOne(graph, Float32Array.of(0, 0), 3);
    expect(nothing).toEqual({ labels: Uint32Array.of(1, 2, 3), scores: Float32Array.of(0, 0, 0) });
  });
});

it('behaves like flat rows under random use', async () => {
  const operation = fc.oneof(
    fc.record({
      kind: fc.constant('insert' as const),
      count: fc.nat(60),
      threads: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      kind: fc.constant('copies' as const),
      count: fc.nat(20),
      threads: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      kind: fc.constant('search' as const),
      k: fc.nat(40),
      share: fc.constantFrom(0, 0.1, 0.6, 1),
    }),
  );
  const property = fc.asyncProperty(
    fc.array(operation, { maxLength: 12 }),
    fc.constantFrom(...METRICS),
    fc.integer({ min: 1, max: 9 }),
    fc.nat(1000),
    async (operations, metric, dims, seed) => {
      const random = randomNumbers(seed);
      const graph = native.VectorGraph.create(dims, metric, 'float32', 4, 20, seed);
      const flat = native.FlatVectors.create(dims, metric, 'float32');
      let size = 0;
      let kept = new Float32Array(dims).fill(1);
      for (const step of operations) {
        if (step.kind === 'search') {
          const query = Float32Array.from({ length: dims }, () => random() - 0.5);
          const allow =
            step.share === 1 ? null : bitsOf([...labelsFrom(0, size)].filter(() => random() < step.share));
          const found = await searchOne(graph, query, step.k, { ef: 1, allow });
          expect(found).toEqual(await flat.search(query, step.k, 2, allow));
          continue;
        }
        const rows =
          step.kind === 'copies'
            ? Float32Array.from({ length: step.count * dims }, (_, i) => kept[i % dims]!)
            : Float32Array.from({ length: step.count * dims }, () => random() - 0.5);
        if (rows.length > 0) kept = rows.slice(0, dims);
        const labels = labelsFrom(size, step.count);
        await graph.insert(labels, rows, step.threads);
        flat.append(labels, rows);
        size += step.count;
        expect([graph.size, flat.size]).toEqual([size, size]);
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
