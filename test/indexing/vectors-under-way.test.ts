import { describe, expect, it } from 'vitest';
import { VectorsUnderWay } from '../../src/indexing/vectors-under-way.js';
import type { SealedRecord } from '../../src/model/sealed-record.js';

const record = (id: string, textHash: number, read: number): SealedRecord => ({
  id,
  source: id,
  contentHash: id,
  rows: 1,
  overLimit: 0,
  textBytes: 1,
  textHash,
  embeddingHashes: new Uint8Array(16).fill(read),
  bytes: new Uint8Array(1),
});

const vectors = Float32Array.of(1, 2);

describe('documents with the same text', () => {
  it('follow the first until its commit is on its way', () => {
    const underWay = new VectorsUnderWay();
    const leader = record('a', 1, 1);
    const told: unknown[] = [];
    expect(underWay.follow(leader, () => told.push('itself'))).toBe(false);
    expect(underWay.follow(record('b', 1, 1), (found) => told.push(found))).toBe(true);
    expect(told).toEqual([]);
    underWay.settle(leader, vectors);
    expect(told).toEqual([vectors]);
    expect(underWay.follow(record('c', 1, 1), (found) => told.push(found))).toBe(true);
    expect(told).toEqual([vectors, vectors]);
    underWay.settle(leader, undefined);
    expect(underWay.follow(record('d', 1, 1), () => {})).toBe(true);
    underWay.release(leader);
    expect(underWay.follow(record('e', 1, 1), () => {})).toBe(false);
  });

  it('lead by themselves where the embedder reads something else, or where that is not known', () => {
    const underWay = new VectorsUnderWay();
    expect(underWay.follow(record('a', 1, 1), () => {})).toBe(false);
    expect(underWay.follow(record('b', 1, 2), () => {})).toBe(false);
    expect(underWay.follow({ ...record('c', 1, 1), embeddingHashes: null }, () => {})).toBe(false);
    expect(underWay.follow(record('d', 1, 2), () => {})).toBe(true);
  });

  it('are told at once when the first got no vectors, and the next one leads', () => {
    const underWay = new VectorsUnderWay();
    const leader = record('a', 1, 1);
    const told: unknown[] = [];
    underWay.follow(leader, () => {});
    underWay.follow(record('b', 1, 1), (found) => told.push(found));
    underWay.settle(leader, undefined);
    expect(told).toEqual([undefined]);
    expect(underWay.follow(record('c', 1, 1), () => {})).toBe(false);
  });
});
