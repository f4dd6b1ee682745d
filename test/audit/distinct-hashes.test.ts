import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DistinctHashes } from '../../src/audit/distinct-hashes.js';

const hashOf = (n: number) => createHash('sha256').update(String(n)).digest().readBigUInt64LE(0);

it('counts like a set, and tells how often each came', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 40n })), (hashes) => {
      const counts = new DistinctHashes();
      const twin = new Map<bigint, number>();
      for (const hash of hashes.map((n) => (n * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn)) {
        // 0 marks a free slot: it is kept as 1.
        const key = hash === 0n ? 1n : hash;
        twin.set(key, (twin.get(key) ?? 0) + 1);
        expect(counts.add(hash)).toBe(twin.get(key));
      }
      expect(counts.count).toBe(twin.size);
      expect(counts.isExact).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it('estimates from a sample once a segment is full, in the same memory', () => {
  const counts = new DistinctHashes(1 << 8);
  const distinct = 60_000;
  for (let n = 0; n < distinct; n++) counts.add(hashOf(n));
  expect(counts.isExact).toBe(false);
  expect(Math.abs(counts.count / distinct - 1)).toBeLessThan(0.1);
  const before = counts.count;
  for (let n = 0; n < distinct; n++) counts.add(hashOf(n));
  expect(counts.count).toBe(before);
});
