import { addon } from '../../../dist/native/addon.js';
import { recall } from '../../lib/vectors-corpus.mjs';

/** What the store hands over at a time. */
const BATCH_ROWS = 1024;

export async function open(corpus, { dims, m, efConstruction, seed, threads, ef, k }) {
  const { VectorGraph } = addon();
  const graph = VectorGraph.create(dims, 'cosine', m, efConstruction, seed);
  return {
    async warmUp() {
      const scratch = VectorGraph.create(dims, 'cosine', m, efConstruction, seed);
      const count = Math.min(100, corpus.rows);
      await scratch.insert(labels(0, count), corpus.vectors.subarray(0, count * dims), threads);
    },
    async run() {
      for (let from = 0; from < corpus.rows; from += BATCH_ROWS) {
        const to = Math.min(corpus.rows, from + BATCH_ROWS);
        await graph.insert(labels(from, to), corpus.vectors.subarray(from * dims, to * dims), threads);
      }
      return { units: corpus.rows };
    },
    async quality() {
      const found = await graph.search(corpus.queries, k, ef, threads, null);
      return { [`recall@${k}`]: recall(found.labels, corpus.truth, k) };
    },
  };
}

function labels(from, to) {
  return Uint32Array.from({ length: to - from }, (_, i) => from + i);
}
