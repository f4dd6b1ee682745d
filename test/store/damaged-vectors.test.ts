import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportIndex, openStore, repairIndex } from '../../src/store/index.js';
import { change } from './maintenance/fixture.js';
import { batch, DIMS, document, newFolder, newStore, vectorOf } from './support.js';

const GRAPH = { graphThreshold: 20, threads: 1 };
const ROW = 5;

/** An index in whose row 5 of vectors one number became another one, its checksum notwithstanding. */
async function damaged(value: number, options = {}): Promise<string> {
  const folder = newFolder();
  const store = await newStore(options, folder);
  const writer = await store.writer();
  await writer.commit(batch(Array.from({ length: 30 }, (_, i) => document(`d${i}`, [`alpha ${i}`]))));
  await writer.publish();
  await store.close();
  const row = Float32Array.from(vectorOf(`alpha ${ROW - 1}`));
  row[3] = value;
  const blob = Buffer.from(row.buffer).toString('hex');
  change(folder, `UPDATE vectors SET data = x'${blob}' WHERE label = ${ROW}`);
  return folder;
}

const corrupt = (problem: RegExp) => ({
  code: 'SLUICE_INDEX_CORRUPT',
  message: expect.stringMatching(problem),
});
const HOLDS = /sluice\.db is damaged at vectors, row 5: it (holds NaN|holds -?Infinity|is too long)/;

for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e30]) {
  it(`a stored vector with ${value} is named where it is read`, async () => {
    // Into the tail of a reader.
    const scanned = await openStore(await damaged(value));
    await expect(scanned.reader()).rejects.toMatchObject(corrupt(HOLDS));
    await scanned.close();
    // For scoring again what a graph found.
    const graphed = await damaged(value, GRAPH);
    const store = await openStore(graphed, GRAPH);
    const reader = await store.reader();
    const all = await reader.select(undefined);
    await expect(reader.searchVectors(vectorOf('alpha 4'), 30, all)).rejects.toMatchObject(corrupt(HOLDS));
    // Into a graph that is built anew.
    const writer = await store.writer();
    await expect(writer.compact()).rejects.toMatchObject(corrupt(HOLDS));
    await store.close();
    await expect(exportIndex(graphed, join(newFolder(), 'all.jsonl'))).rejects.toMatchObject(
      corrupt(/document 'd4'.*the vector of chunk 5 (holds|is too long)/),
    );
    expect(await repairIndex(graphed, { ...GRAPH, dropDamaged: true })).toMatchObject({
      ok: true,
      dropped: [{ id: 'd4' }],
    });
  });
}

it('a stored vector of another length is named, too', async () => {
  const folder = await damaged(0);
  change(folder, `UPDATE vectors SET data = x'00000000' WHERE label = ${ROW}`);
  const store = await openStore(folder);
  const problem = new RegExp(`at vectors, row 5: it has 4 bytes for ${DIMS} dimensions`);
  await expect(store.reader()).rejects.toMatchObject(corrupt(problem));
  await store.close();
});
