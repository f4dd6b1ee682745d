/** int8 graphs: their recall once they are scored again, filters of every width, copies, and the flat int8 twin. */

import { describe, expect, it } from 'vitest';
import type { NativeGraph, NativeMetric } from '../../src/native/contract.js';
import {
  bitsOf,
  clusteredRows,
  expectOrdered,
  graphOf,
  labelsFrom,
  native,
  randomNumbers,
  rowOf,
  searchOne,
} from './support.js';

const METRICS: NativeMetric[] = ['cosine', 'ip', 'l2'];
/** Over what is scanned at this ef, so that walks are what is tested. */
const SIZE = 6000;
const EF = 64;
const DIMS = 24;
const K = 10;

/** The labels of the best k of a shortlist by their true scores. */
async function topExactly(
  graph: NativeGraph,
  rows: Float32Array,
  query: Float32Array,
  metric: NativeMetric,
  allow: Uint8Array | null,
): Promise<number[]> {
  const { labels } = await searchOne(graph, query, 64, { ef: EF, allow });
  const data = Float32Array.from([...labels].flatMap((label) => [...rowOf(rows, DIMS, label)]));
  const scores = native.scoreRows(query, data, metric);
  const order = [...labels.keys()].sort((a, b) => scores[b]! - scores[a]! || labels[a]! - labels[b]!);
  return order.slice(0, K).map((at) => labels[at]!);
}

function flatOf(rows: Float32Array, metric: NativeMetric, precision: 'int8' | 'float32') {
  const flat = native.FlatVectors.create(DIMS, metric, precision);
  flat.append(labelsFrom(0, rows.length / DIMS), rows);
  return flat;
}

describe.each(METRICS)('%s', (metric) => {
  const rows = clusteredRows(SIZE, DIMS, 21);
  const queries = clusteredRows(40, DIMS, 22);

  it('finds nearly what a float32 scan finds', async () => {
    const graph = await graphOf(rows, DIMS, { metric, precision: 'int8' });
    const truth = flatOf(rows, metric, 'float32');
    let agreed = 0;
    for (let q = 0; q < 40; q++) {
      const query = rowOf(queries, DIMS, q);
      const expected = new Set((await truth.search(query, K, 1, null)).labels);
      agreed += (await topExactly(graph, rows, query, metric, null)).filter((label) =>
        expected.has(label),
      ).length;
    }
    expect(agreed / (40 * K)).toBeGreaterThan(metric === 'ip' ? 0.85 : 0.95);
  });

  it('scores like flat int8 rows, which a float32 score is near to', async () => {
    const graph = await graphOf(rows.subarray(0, 900 * DIMS), DIMS, { metric, precision: 'int8' });
    const flat = flatOf(rows.subarray(0, 900 * DIMS), metric, 'int8');
    for (let q = 0; q < 10; q++) {
      const query = rowOf(queries, DIMS, q);
      const found = await searchOne(graph, query, 900);
      expectOrdered(found);
      expect(found).toEqual(await flat.search(query, 900, 2, null));
      const data = Float32Array.from([...found.labels].flatMap((label) => [...rowOf(rows, DIMS, label)]));
      const exact = native.scoreRows(query, data, metric);
      const largest = exact.reduce((most, score) => Math.max(most, Math.abs(score)), 0);
      found.scores.forEach((score, i) => {
        expect(Math.abs(score - exact[i]!)).toBeLessThan(largest * 0.03);
      });
    }
  });
});

describe('filters', () => {
  const rows = clusteredRows(40_000, DIMS, 23, 40);
  const queries = clusteredRows(25, DIMS, 23, 40);
  const truth = flatOf(rows, 'cosine', 'float32');
  const made = graphOf(rows, DIMS, { precision: 'int8' });
  const random = randomNumbers(24);
  const towards = rowOf(rows, DIMS, 5);
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const sides = Array.from({ length: 40_000 }, (_, row) => dot(rowOf(rows, DIMS, row), towards));
  const sorted = [...sides].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * 39_999)]!;

  it.each<[string, (label: number) => boolean]>([
    ['half', () => random() < 0.5],
    ['a quarter', () => random() < 0.25],
    ['a fifth', () => random() < 0.2],
    ['a tenth', () => random() < 0.1],
    ['a hundredth', () => random() < 0.01],
    ['a thousandth', () => random() < 0.001],
    ['a hundred-thousandth', (label) => label % 13_000 === 7],
    ['all but a few', () => random() < 0.99],
    ['one side of space', (label) => sides[label]! > at(0.5)],
    ['a fifth on one side of space', (label) => sides[label]! > at(0.8)],
    ['a fifth on the other side', (label) => sides[label]! < at(0.2)],
    ['the newest tenth', (label) => label >= 36_000],
  ])('that allow %s are found as well as without one', async (_name, allowed) => {
    const graph = await made;
    const labels = [...labelsFrom(0, 40_000)].filter(allowed);
    const allow = bitsOf(labels);
    let agreed = 0;
    let possible = 0;
    for (let q = 0; q < 25; q++) {
      const query = rowOf(queries, DIMS, q);
      const expected = new Set((await truth.search(query, K, 2, allow)).labels);
      const found = await topExactly(graph, rows, query, 'cosine', allow);
      expect(found).toHaveLength(Math.min(K, labels.length));
      for (const label of found) expect(allow[label >> 3]! & (1 << (label & 7))).toBeTruthy();
      agreed += found.filter((label) => expected.has(label)).length;
      possible += expected.size;
    }
    expect(agreed / possible).toBeGreaterThanOrEqual(0.95);
  });

  it('find ids whatever is missing between the labels, and in whatever order they came', async () => {
    const next = randomNumbers(25);
    const labels: number[] = [];
    for (let label = 3; labels.length < 3000; label += next() < 0.9 ? 1 : Math.floor(next() * 900)) {
      labels.push(label);
    }
    const data = rows.subarray(0, 3000 * DIMS);
    const orders = { ascending: labels, shuffled: [...labels].sort(() => next() - 0.5) };
    for (const order of Object.values(orders)) {
      const graph = native.VectorGraph.create(DIMS, 'cosine', 'int8', 8, 40, 1);
      await graph.insert(Uint32Array.from(order), data, 2);
      for (const share of [1, 0.5, 0.05, 0.002]) {
        const allowed = new Set(labels.filter(() => next() < share));
        // Labels that nobody has, before, between and after.
        const bits = bitsOf([...allowed, 0, 1, labels.at(-1)! + 5, labels.at(-1)! + 900]);
        for (let gap = 4; gap < 2000; gap += 7) if (!labels.includes(gap)) bits[gap >> 3]! |= 1 << (gap & 7);
        const found = await searchOne(graph, rowOf(queries, DIMS, 0), 3000, { allow: bits });
        expect(new Set(found.labels)).toEqual(allowed);
        expect(found.labels).toHaveLength(allowed.size);
      }
    }
  });
});

describe('equal vectors', () => {
  it.each(METRICS)('%s: 1,000 copies hide none of 5,000 others, and all come back (I5)', async (metric) => {
    const others = clusteredRows(5000, DIMS, 31);
    const copied = clusteredRows(1, DIMS, 32);
    const rows = new Float32Array(6000 * DIMS);
    for (let i = 0; i < 1000; i++) rows.set(copied, i * DIMS);
    rows.set(others, 1000 * DIMS);
    const graph = await graphOf(rows, DIMS, { metric, precision: 'int8' });
    const all = await searchOne(graph, copied, 6000);
    expect(new Set(all.labels).size).toBe(6000);
    if (metric === 'ip') return;
    expect([...(await searchOne(graph, copied, 1000, { ef: 32 })).labels]).toEqual([...labelsFrom(0, 1000)]);
    for (const label of [0, 17, 999]) {
      expect([...(await searchOne(graph, copied, 1, { ef: 32, allow: bitsOf([label]) })).labels]).toEqual([
        label,
      ]);
    }
    let found = 0;
    for (let label = 1000; label < 6000; label += 3) {
      const query = rowOf(rows, DIMS, label);
      const near = await searchOne(graph, query, 5, { ef: 32 });
      if (near.labels.includes(label)) found++;
    }
    expect(found).toBeGreaterThanOrEqual(1667 * 0.995);
  });

  it('are one where only the smallest of their numbers differ', async () => {
    const rows = new Float32Array(300 * DIMS);
    const one = clusteredRows(1, DIMS, 33);
    for (let i = 0; i < 300; i++) {
      rows.set(one, i * DIMS);
      rows[i * DIMS + (i % DIMS)]! += 1e-7 * i;
    }
    const graph = await graphOf(rows, DIMS, { precision: 'int8' });
    expect(new Set((await searchOne(graph, one, 300)).labels).size).toBe(300);
  });
});

it('knows zero vectors', async () => {
  const rows = Float32Array.of(0, 0, 0, 0, 1, 0, 0, 0, -1);
  for (const metric of METRICS) {
    const graph = native.VectorGraph.create(3, metric, 'int8', 4, 10, 1);
    await graph.insert(Uint32Array.of(1, 2, 3), rows, 1);
    const nothing = await searchOne(graph, Float32Array.of(0, 0, 0), 3);
    expect(nothing.scores[0]).toBe(0);
    expect(nothing.labels[0]).toBe(1);
    expect(nothing.labels).toHaveLength(3);
  }
});
