/** What the tests of the addon share: seeded vectors, text columns, temporary folders, twins. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { packTexts, type TextColumn } from '../../src/model/text-column.js';
import { addon } from '../../src/native/addon.js';
import type {
  NativeGraph,
  NativeGraphSnapshot,
  NativeHits,
  NativeMetric,
  NativePrecision,
} from '../../src/native/contract.js';

export const native = addon();

export const TOKENIZER_FILE = join(import.meta.dirname, '../../models/all-MiniLM-L6-v2/tokenizer.json');

export const columns = (texts: readonly string[]): [Uint8Array, Uint32Array] => {
  const { bytes, offsets }: TextColumn = packTexts(texts);
  return [bytes, offsets];
};

export const labelsFrom = (start: number, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, i) => start + i);

/** A small generator of its own, so that a failure repeats. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Gaussian rows around a few centres: data with structure, the way embeddings have it. */
export function clusteredRows(count: number, dims: number, seed: number, centres = 20): Float32Array {
  const uniform = randomNumbers(seed);
  const normal = () => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
  const middle = Float32Array.from({ length: centres * dims }, normal);
  const rows = new Float32Array(count * dims);
  for (let row = 0; row < count; row++) {
    const centre = Math.floor(uniform() * centres);
    for (let d = 0; d < dims; d++) rows[row * dims + d] = middle[centre * dims + d]! + normal();
  }
  return rows;
}

export const rowOf = (rows: Float32Array, dims: number, row: number): Float32Array =>
  rows.subarray(row * dims, (row + 1) * dims);

export function bitsOf(labels: Iterable<number>): Uint8Array {
  const bits: number[] = [];
  for (const label of labels) {
    while (bits.length <= label >> 3) bits.push(0);
    bits[label >> 3]! |= 1 << (label & 7);
  }
  return Uint8Array.from(bits);
}

export async function graphOf(
  rows: Float32Array,
  dims: number,
  {
    metric = 'cosine' as NativeMetric,
    precision = 'float32' as NativePrecision,
    threads = 2,
    m = 16,
    efConstruction = 100,
    seed = 1,
    first = 0,
  } = {},
): Promise<NativeGraph> {
  const graph = native.VectorGraph.create(dims, metric, precision, m, efConstruction, seed);
  await graph.insert(labelsFrom(first, rows.length / dims), rows, threads);
  return graph;
}

/** Hits of one query of a graph, without the empty places. */
export async function searchOne(
  graph: NativeGraph | NativeGraphSnapshot,
  query: Float32Array,
  k: number,
  { ef = 64, threads = 1, allow = null as Uint8Array | null } = {},
): Promise<NativeHits> {
  const { labels, scores, counts } = await graph.search(query, k, ef, threads, allow);
  expect(counts).toHaveLength(1);
  expect(labels).toHaveLength(k);
  return { labels: labels.subarray(0, counts[0]), scores: scores.subarray(0, counts[0]) };
}

/** Best first, and equal scores by ascending label. */
export function expectOrdered({ labels, scores }: NativeHits): void {
  expect(labels.length).toBe(scores.length);
  for (let i = 0; i < labels.length; i++) {
    expect(Number.isFinite(scores[i])).toBe(true);
    if (i === 0) continue;
    expect(scores[i - 1]!).toBeGreaterThanOrEqual(scores[i]!);
    if (scores[i - 1] === scores[i]) expect(labels[i - 1]!).toBeLessThan(labels[i]!);
  }
}

export function similarity(a: Float32Array, b: Float32Array, metric: NativeMetric): number {
  let dot = 0;
  let square = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    square += (a[i]! - b[i]!) ** 2;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  if (metric === 'l2') return -square;
  if (metric === 'ip') return dot;
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

/** The code of what a call throws or rejects with. */
export async function codeOf(call: () => unknown): Promise<string | undefined> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return (error as Error & { code?: string }).code;
  }
  return undefined;
}

/** A folder that the test file removes at its end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-native-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
