/** Mapped snapshots: they answer like the graph that was saved, say what they are, and a damaged one is refused. */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
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
  temporaryFolder,
} from './support.js';

const folder = temporaryFolder();
const GOLDEN = join(import.meta.dirname, '../fixtures/graph-int8-v1.graph');
const DIMS = 16;
const SIZE = 3000;
const rows = clusteredRows(SIZE, DIMS, 1);
const queries = clusteredRows(30, DIMS, 2);
const half = bitsOf([...labelsFrom(0, SIZE)].filter((label) => label % 2 === 1));

describe.each(['int8', 'float32'] as const)('%s', (precision) => {
  it.each(['cosine', 'ip', 'l2'] as NativeMetric[])(
    '%s: answers like the graph that was saved',
    async (metric) => {
      const path = join(folder, `${precision}-${metric}`);
      const graph = await graphOf(rows, DIMS, { metric, precision });
      await graph.save(path, 'a note: ä');
      const snapshot = await native.GraphSnapshot.open(path, DIMS, metric, 2);
      expect([snapshot.size, snapshot.dims]).toEqual([SIZE, DIMS]);
      for (const [ef, allow] of [
        [40, null],
        [40, half],
        [3000, null],
      ] as const) {
        const ask = (of: NativeGraph | typeof snapshot) => of.search(queries, 10, ef, 2, allow);
        expect(await ask(snapshot)).toEqual(await ask(graph));
      }
      expect(native.GraphSnapshot.describe(path)).toEqual({
        precision,
        dims: DIMS,
        ...(precision === 'int8' && { metric }),
        m: 16,
        efConstruction: 100,
        count: SIZE,
        note: precision === 'int8' ? 'a note: ä' : '',
      });
    },
  );

  it('loads into memory and grows on', async () => {
    const path = join(folder, `${precision}-grows`);
    const first = await graphOf(rows.subarray(0, 2000 * DIMS), DIMS, { precision, threads: 1 });
    await first.save(path, '');
    const loaded = await native.VectorGraph.load(path, DIMS, 'cosine', 2);
    await loaded.insert(labelsFrom(2000, 1000), rows.subarray(2000 * DIMS), 2);
    expect(loaded.size).toBe(SIZE);
    let found = 0;
    for (let label = 0; label < SIZE; label += 7) {
      if ((await searchOne(loaded, rowOf(rows, DIMS, label), 3, { ef: 40 })).labels.includes(label)) found++;
    }
    expect(found).toBeGreaterThan((SIZE / 7) * 0.995);
    expect(await codeOf(() => loaded.insert(Uint32Array.of(1999), queries.subarray(0, DIMS), 1))).toBe(
      'SLUICE_NATIVE_ARGUMENT',
    );
  });

  it('goes on when its file is replaced or removed', async () => {
    const path = join(folder, `${precision}-gone`);
    const graph = await graphOf(rows.subarray(0, 500 * DIMS), DIMS, { precision });
    await graph.save(path, '');
    const snapshot = await native.GraphSnapshot.open(path, DIMS, 'cosine', 1);
    const before = await snapshot.search(queries, 5, 20, 1, null);
    await graph.insert(labelsFrom(500, 100), rows.subarray(500 * DIMS, 600 * DIMS), 1);
    await graph.save(path, '');
    expect(await snapshot.search(queries, 5, 20, 1, null)).toEqual(before);
    if (process.platform !== 'win32') rmSync(path);
    expect(await snapshot.search(queries, 5, 20, 1, null)).toEqual(before);
  });

  it.each([0, 1, 2])('of %i vectors works', async (size) => {
    const path = join(folder, `${precision}-${size}`);
    const graph = await graphOf(rows.subarray(0, size * DIMS), DIMS, { precision });
    await graph.save(path, '');
    const snapshot = await native.GraphSnapshot.open(path, DIMS, 'cosine', 2);
    expect(snapshot.size).toBe(size);
    expect((await snapshot.search(rowOf(rows, DIMS, 0), 5, 10, 1, null)).counts).toEqual(
      Uint32Array.of(size),
    );
  });

  it('keeps copies and any order of labels', async () => {
    const path = join(folder, `${precision}-copies`);
    const graph = native.VectorGraph.create(DIMS, 'cosine', precision, 8, 40, 1);
    await graph.insert(labelsFrom(5000, 1500), rows.subarray(0, 1500 * DIMS), 2);
    await graph.insert(labelsFrom(0, 1500), rows.subarray(0, 1500 * DIMS), 2);
    await graph.save(path, '');
    const snapshot = await native.GraphSnapshot.open(path, DIMS, 'cosine', 2);
    for (const row of [0, 700, 1499]) {
      const query = rowOf(rows, DIMS, row);
      const { labels } = await snapshot.search(query, 2, 60, 1, null);
      expect([...labels]).toEqual([row, 5000 + row]);
      const only = await snapshot.search(query, 1, 60, 1, bitsOf([5000 + row]));
      expect([...only.labels]).toEqual([5000 + row]);
    }
  });

  it('refuses other dims', async () => {
    const path = join(folder, `${precision}-dims`);
    await (await graphOf(rows.subarray(0, 10 * DIMS), DIMS, { precision })).save(path, '');
    await expect(native.GraphSnapshot.open(path, DIMS + 1, 'cosine', 1)).rejects.toMatchObject({
      code: 'SLUICE_NATIVE_ARGUMENT',
      message: expect.stringContaining('expected'),
    });
    expect(await codeOf(() => native.GraphSnapshot.open(join(folder, 'none'), DIMS, 'cosine', 1))).toBe(
      'SLUICE_NOT_FOUND',
    );
    expect(await codeOf(() => native.GraphSnapshot.describe(join(folder, 'none')))).toBe('SLUICE_NOT_FOUND');
  });
});

it('refuses another metric, and a note that is too long', async () => {
  const path = join(folder, 'metric');
  const graph = await graphOf(rows.subarray(0, 10 * DIMS), DIMS, { precision: 'int8' });
  expect(await codeOf(() => graph.save(path, 'x'.repeat(2049)))).toBe('SLUICE_NATIVE_ARGUMENT');
  expect(existsSync(path)).toBe(false);
  await graph.save(path, 'x'.repeat(2048));
  expect(native.GraphSnapshot.describe(path).note).toHaveLength(2048);
  expect(await codeOf(() => native.GraphSnapshot.open(path, DIMS, 'l2', 1))).toBe('SLUICE_NATIVE_ARGUMENT');
});

describe('an int8 file that is wrong', () => {
  const damaged = join(folder, 'damaged');
  let bytes: Buffer;

  beforeAll(async () => {
    const good = join(folder, 'good');
    await (await graphOf(rows.subarray(0, 300 * DIMS), DIMS, { m: 4, precision: 'int8' })).save(good, 'note');
    bytes = readFileSync(good);
  });

  async function expectRefused(content: Uint8Array): Promise<void> {
    writeFileSync(damaged, content);
    const failure = await native.GraphSnapshot.open(damaged, DIMS, 'cosine', 2).then(
      () => undefined,
      (error: Error & { code: string }) => error,
    );
    expect(failure).toMatchObject({ code: 'SLUICE_INDEX_CORRUPT' });
    expect(failure!.message).toContain(damaged);
    expect(await codeOf(() => native.VectorGraph.load(damaged, DIMS, 'cosine', 1))).toBe(
      'SLUICE_INDEX_CORRUPT',
    );
  }

  it('is refused with any bits flipped, and says where', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flips) => {
        const copy = Buffer.from(bytes);
        copy[at]! ^= flips;
        await expectRefused(copy);
      }),
      { numRuns: 300 },
    );
    const copy = Buffer.from(bytes);
    copy[5000]! ^= 1;
    writeFileSync(damaged, copy);
    await expect(native.GraphSnapshot.open(damaged, DIMS, 'cosine', 1)).rejects.toThrow(
      /the checksum of its bytes 4096 to \d+ does not fit/,
    );
  });

  it('is refused cut or continued at any place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (end) => expectRefused(bytes.subarray(0, end))),
      { numRuns: 150 },
    );
    await expectRefused(Buffer.concat([bytes, Buffer.from([0])]));
  });

  it('is refused with pages that were never written', async () => {
    for (let from = 0; from < bytes.length; from += 4096) {
      const copy = Buffer.from(bytes).fill(0, from, Math.min(from + 4096, bytes.length));
      if (!copy.equals(bytes)) await expectRefused(copy);
    }
  });

  it('of a later version is refused as such', async () => {
    const copy = Buffer.from(bytes);
    copy[8] = 2;
    writeFileSync(damaged, copy);
    await expect(native.GraphSnapshot.open(damaged, DIMS, 'cosine', 1)).rejects.toThrow(
      'its header is of version 2, expected 1',
    );
  });

  it('that changes under a reader crashes nothing', async () => {
    const path = join(folder, 'changing');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 4096, max: bytes.length - 1 }), fc.nat(255)), {
          minLength: 1,
          maxLength: 200,
        }),
        async (changes) => {
          writeFileSync(path, bytes);
          const snapshot = await native.GraphSnapshot.open(path, DIMS, 'cosine', 1);
          const copy = Buffer.from(bytes);
          for (const [at, value] of changes) copy[at] = value;
          // In place, into the pages that are mapped.
          writeFileSync(path, copy, { flag: 'r+' });
          const every = bitsOf(labelsFrom(0, 300));
          for (const allow of [null, every]) {
            const { counts } = await snapshot.search(queries, 10, 20, 2, allow);
            for (const count of counts) expect(count).toBeLessThanOrEqual(10);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('format version 1', () => {
  // Exact arithmetic alone, so that every machine makes the same file.
  const uniform = (count: number, seed: number) => {
    const next = randomNumbers(seed);
    return Float32Array.from({ length: count * 8 }, () => next() - 0.5);
  };
  const golden = () => graphOf(uniform(64, 77), 8, { m: 4, precision: 'int8', threads: 1, first: 10 });

  it.runIf(process.env.MAKE_GOLDEN)('is written', async () => {
    await (await golden()).save(`${GOLDEN}.new`, '{"index":"golden"}');
    renameSync(`${GOLDEN}.new`, GOLDEN);
  });

  it('opens', async () => {
    expect(native.GraphSnapshot.describe(GOLDEN)).toEqual({
      precision: 'int8',
      dims: 8,
      metric: 'cosine',
      m: 4,
      efConstruction: 100,
      count: 64,
      note: '{"index":"golden"}',
    });
    const snapshot = await native.GraphSnapshot.open(GOLDEN, 8, 'cosine', 1);
    const graph = await golden();
    const asked = uniform(2, 78);
    expect(await snapshot.search(asked, 64, 64, 1, null)).toEqual(await graph.search(asked, 64, 64, 1, null));
    const { labels } = await snapshot.search(asked, 3, 64, 1, null);
    expect([...labels]).toEqual([40, 67, 24, 16, 54, 46]);
  });

  it('is written the same again', async () => {
    const path = join(folder, 'golden');
    await (await golden()).save(path, '{"index":"golden"}');
    expect(readFileSync(path).equals(readFileSync(GOLDEN))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
