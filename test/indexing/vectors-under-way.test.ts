import { describe, expect, it } from 'vitest';
import { VectorsUnderWay } from '../../src/indexing/vectors-under-way.js';
import type { SealedRecord } from '../../src/model/sealed-record.js';

const hashes = (read: number) => new Uint8Array(16).fill(read);

const record = (id: string, textHash: number): SealedRecord => ({
  id,
  source: id,
  contentHash: id,
  rows: 1,
  overLimit: 0,
  textBytes: 1,
  textHash,
  bytes: new Uint8Array(1),
});

const vectors = Float32Array.of(1, 2);

describe('documents with the same text', () => {
  it('follow the first until its commit is on its way', () => {
    const underWay = new VectorsUnderWay();
    const leader = record('a', 1);
    const told: unknown[] = [];
    expect(underWay.follow(leader, hashes(1), () => told.push('itself'))).toBe(false);
    expect(underWay.follow(record('b', 1), hashes(1), (found) => told.push(found))).toBe(true);
    expect(told).toEqual([]);
    underWay.settle(leader, vectors);
    expect(told).toEqual([vectors]);
    expect(underWay.follow(record('c', 1), hashes(1), (found) => told.push(found))).toBe(true);
    expect(told).toEqual([vectors, vectors]);
    underWay.settle(leader, undefined);
    expect(underWay.follow(record('d', 1), hashes(1), () => {})).toBe(true);
    underWay.release(leader);
    expect(underWay.follow(record('e', 1), hashes(1), () => {})).toBe(false);
  });

  it('lead by themselves where the embedder reads something else', () => {
    const underWay = new VectorsUnderWay();
    expect(underWay.follow(record('a', 1), hashes(1), () => {})).toBe(false);
    expect(underWay.follow(record('b', 1), hashes(2), () => {})).toBe(false);
    expect(underWay.follow(record('d', 1), hashes(2), () => {})).toBe(true);
  });

  it('are told at once when the first got no vectors, and the next one leads', () => {
    const underWay = new VectorsUnderWay();
    const leader = record('a', 1);
    const told: unknown[] = [];
    underWay.follow(leader, hashes(1), () => {});
    underWay.follow(record('b', 1), hashes(1), (found) => told.push(found));
    underWay.settle(leader, undefined);
    expect(told).toEqual([undefined]);
    expect(underWay.follow(record('c', 1), hashes(1), () => {})).toBe(false);
  });
});
