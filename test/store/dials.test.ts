import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, type StoreOptions } from '../../src/store/index.js';
import { query } from './maintenance/fixture.js';
import { batch, DIMS, document, newFolder, newStore } from './support.js';

const documents = (from: number, count: number) =>
  batch(Array.from({ length: count }, (_, i) => document(`d${from + i}`, [`words ${from + i}`])));

async function adding(folder: string, from: number, count: number, options: StoreOptions): Promise<void> {
  const store = from === 0 ? await newStore(options, folder) : await openStore(folder, options);
  const writer = await store.writer();
  await writer.commit(documents(from, count));
  await writer.publish();
  await store.close();
}

const shapeOf = (folder: string) =>
  JSON.parse(
    query<{ value: string }>(folder, "SELECT value FROM settings WHERE key = 'graphShape'")[0]!.value,
  );
const sizesOf = (folder: string) =>
  query<{ size: number }>(folder, 'SELECT DISTINCT length(data) AS size FROM vectors ORDER BY size').map(
    ({ size }) => size,
  );

describe('dials', () => {
  it('that were set before there was a graph shape the first one, in a process that names none', async () => {
    const folder = newFolder();
    const dials = {
      graphLinks: 7,
      graphEffort: 90,
      vectorPrecision: 'float32',
      storedVectors: 'float16',
    } as const;
    await adding(folder, 0, 5, { ...dials, graphThreshold: 20 });
    expect(readdirSync(folder)).not.toContain('graph');
    await adding(folder, 5, 30, { graphThreshold: 20 });
    expect(shapeOf(folder)).toEqual({ links: 7, effort: 90, precision: 'float32' });
    expect(readdirSync(join(folder, 'graph')).some((name) => name.endsWith('.hnsw'))).toBe(true);
    expect(sizesOf(folder)).toEqual([2 * DIMS]);
  });

  it('are changed one by one, at any time', async () => {
    const folder = newFolder();
    await adding(folder, 0, 30, { graphLinks: 7, graphThreshold: 20 });
    expect(shapeOf(folder)).toEqual({ links: 7, effort: 200, precision: 'int8' });
    await adding(folder, 30, 1, { graphEffort: 50, storedVectors: 'float16', graphThreshold: 20 });
    expect(shapeOf(folder)).toEqual({ links: 7, effort: 50, precision: 'int8' });
    await adding(folder, 31, 1, { storedVectors: 'float32', graphThreshold: 20 });
    await adding(folder, 32, 1, { graphThreshold: 20 });
    expect(shapeOf(folder)).toEqual({ links: 7, effort: 50, precision: 'int8' });
    expect(sizesOf(folder)).toEqual([2 * DIMS, 4 * DIMS]);
    expect(query(folder, `SELECT 1 FROM vectors WHERE length(data) = ${2 * DIMS}`)).toHaveLength(1);
  });
});
