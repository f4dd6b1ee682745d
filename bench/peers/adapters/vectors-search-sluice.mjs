import { addon } from '../../../dist/native/addon.js';
import { recall } from '../../lib/vectors-corpus.mjs';

export async function open(corpus, { dims, threads, ef, k }) {
  const graph = await addon().GraphSnapshot.open(corpus.graphFile, dims, 'cosine', threads);
  let found;
  return {
    async warmUp() {
      await graph.search(corpus.queries, k, ef, threads, null);
    },
    async run() {
      found = await graph.search(corpus.queries, k, ef, threads, null);
      return { units: corpus.queryRows };
    },
    /** The other way to ask: one query after another, each awaited, on one thread. */
    async quality() {
      const from = performance.now();
      for (let row = 0; row < corpus.queryRows; row++) {
        await graph.search(corpus.queries.subarray(row * dims, (row + 1) * dims), k, ef, 1, null);
      }
      const seconds = (performance.now() - from) / 1000;
      return {
        [`recall@${k}`]: recall(found.labels, corpus.truth, k),
        'one at a time /s': corpus.queryRows / seconds,
      };
    },
  };
}
