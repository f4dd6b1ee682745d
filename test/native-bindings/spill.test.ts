import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bitsOf, native } from './support.js';

/** 16 KiB a vector: more than a graph keeps in memory, where it may do otherwise. */
const DIMS = 4096;
const ROWS = 4800;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-spill-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function vectors(): Float32Array {
  let state = 9;
  return Float32Array.from({ length: ROWS * DIMS }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 12345;
    return (state | 0) / 2 ** 31;
  });
}

function namelessFilesIn(place: string): number {
  const maps = readFileSync('/proc/self/maps', 'utf8').split('\n');
  return maps.filter((line) => line.includes(`${place}/#`) && line.endsWith('(deleted)')).length;
}

async function built(data: Float32Array, spillFolder: string | null) {
  const graph = native.VectorGraph.create(DIMS, 'ip', 'float32', 2, 4, 1, spillFolder);
  const labels = Uint32Array.from({ length: ROWS }, (_, row) => row + 1);
  // One thread and one seed: the same graph, wherever its vectors lie.
  await graph.insert(labels, data, 1);
  return graph;
}

it.runIf(process.platform === 'linux')(
  'keeps vectors in a file without a name, and is the same graph as in memory, saved and loaded',
  async () => {
    const data = vectors();
    const files = [];
    for (const [name, spillFolder] of [
      ['memory', null],
      ['nowhere', path.join(folder, 'missing')],
      ['spilled', folder],
    ] as const) {
      const graph = await built(data, spillFolder);
      expect(namelessFilesIn(folder) > 0).toBe(name === 'spilled');
      const file = path.join(folder, `${name}.hnsw`);
      await graph.save(file, 'note');
      files.push(readFileSync(file));
      if (name === 'spilled') {
        const loaded = await native.VectorGraph.load(file, DIMS, 'ip', 1, folder);
        await loaded.insert(Uint32Array.of(ROWS + 1), data.subarray(0, DIMS).slice(), 1);
        expect(loaded.size).toBe(ROWS + 1);
        const found = await loaded.search(data.slice(0, DIMS), 1, 50, 1, bitsOf([ROWS + 1]));
        expect([...found.labels]).toEqual([ROWS + 1]);
      }
    }
    expect(files[1]!.equals(files[0]!)).toBe(true);
    expect(files[2]!.equals(files[0]!)).toBe(true);
  },
);
