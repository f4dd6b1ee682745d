/** The vectors, and one graph file of them, written by the peer: both engines search the very same graph. */
import path from 'node:path';
import { rows } from '../adapters/rows.mjs';
import { requirePeer } from '../peer-modules.mjs';
import * as vectors from './vectors.mjs';

const graphFile = (folder) => path.join(folder, 'graph.hnsw');

export async function make(folder, options) {
  await vectors.make(folder, options);
  const { dims, m, efConstruction, seed } = options.settings;
  const corpus = await vectors.read(folder, options.settings);
  const { HierarchicalNSW } = requirePeer('hnswlib-node');
  const graph = new HierarchicalNSW('cosine', dims);
  graph.initIndex(corpus.rows, m, efConstruction, seed);
  rows(corpus.vectors, dims).forEach((row, label) => {
    graph.addPoint(row, label);
  });
  graph.writeIndexSync(graphFile(folder));
}

export async function read(folder, settings) {
  const { queries, truth, rows: count, queryRows } = await vectors.read(folder, settings);
  return { queries, truth, rows: count, queryRows, graphFile: graphFile(folder) };
}
