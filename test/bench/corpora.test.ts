import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { clusteredVectors, exactNeighbours, recall } = await load('lib/vectors-corpus.mjs');
const { markdownFiles, paragraphs } = await load('lib/markdown-corpus.mjs');

describe('clusteredVectors', () => {
  const shape = { count: 3000, queryCount: 10, dims: 32, seed: 7 };

  it('gives unit vectors, the same for the same seed', () => {
    const first = clusteredVectors(shape);
    expect(first).toEqual(clusteredVectors(shape));
    expect(first.vectors).not.toEqual(clusteredVectors({ ...shape, seed: 8 }).vectors);
    for (let row = 0; row < 3000; row++) {
      expect(Math.hypot(...first.vectors.subarray(row * 32, row * 32 + 32))).toBeCloseTo(1, 5);
    }
  });

  it('has neighbours: the best ten are far above the rest', () => {
    const { vectors, queries } = clusteredVectors(shape);
    const [best] = exactNeighbours({ vectors, queries, dims: 32, k: 10 });
    const dot = (row: number) => {
      let sum = 0;
      for (let i = 0; i < 32; i++) sum += vectors[row * 32 + i] * queries[i];
      return sum;
    };
    const all = Array.from({ length: 3000 }, (_, row) => dot(row)).sort((a, b) => b - a);
    expect(dot(best)).toBe(all[0]);
    expect(all[9]! - all[1500]!).toBeGreaterThan(0.2);
  });
});

describe('recall', () => {
  it('counts each true neighbour once, in any order', () => {
    const truth = Uint32Array.of(1, 2, 3, 4);
    expect(recall(Uint32Array.of(2, 1, 4, 3), truth, 2)).toBe(1);
    expect(recall(Uint32Array.of(1, 1, 9, 9), truth, 2)).toBe(0.25);
    expect(recall(Uint32Array.of(3, 4, 1, 2), truth, 2)).toBe(0);
  });
});

describe('markdownFiles', () => {
  it('is stable, capped, and cut at a line', () => {
    const texts = markdownFiles(50_000);
    expect(texts).toEqual(markdownFiles(50_000));
    const bytes = texts.reduce((sum: number, text: string) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThanOrEqual(50_000);
    expect(bytes).toBeGreaterThan(40_000);
  });

  it('is cut into paragraphs of the length of a chunk', () => {
    const parts = paragraphs(markdownFiles(200_000), 20);
    expect(parts).toHaveLength(20);
    for (const part of parts) expect(part.length).toBeGreaterThanOrEqual(200);
  });
});
