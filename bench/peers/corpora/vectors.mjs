/** Vectors, queries and their true neighbours. */
import path from 'node:path';
import { readArray, writeArray } from '../../lib/arrays.mjs';
import { clusteredVectors, exactNeighbours } from '../../lib/vectors-corpus.mjs';

export async function make(folder, { size, seed, settings }) {
  const { dims, k, queryCount } = settings;
  const made = clusteredVectors({ count: size, queryCount: Math.min(queryCount, size), dims, seed });
  await writeArray(path.join(folder, 'vectors.f32'), made.vectors);
  await writeArray(path.join(folder, 'queries.f32'), made.queries);
  await writeArray(path.join(folder, 'truth.u32'), exactNeighbours({ ...made, dims, k }));
}

export async function read(folder, { dims }) {
  const vectors = await readArray(path.join(folder, 'vectors.f32'), Float32Array);
  const queries = await readArray(path.join(folder, 'queries.f32'), Float32Array);
  const truth = await readArray(path.join(folder, 'truth.u32'), Uint32Array);
  return { vectors, queries, truth, rows: vectors.length / dims, queryRows: queries.length / dims };
}
