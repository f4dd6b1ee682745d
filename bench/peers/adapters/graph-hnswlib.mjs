import { recall } from '../../lib/vectors-corpus.mjs';
import { requirePeer } from '../peer-modules.mjs';
import { QUERIES_A_SECOND, rows } from './rows.mjs';

export async function open(corpus, { dims, m, efConstruction, seed, ef, k }) {
  const { HierarchicalNSW } = requirePeer('hnswlib-node');
  const create = (capacity) => {
    const graph = new HierarchicalNSW('cosine', dims);
    graph.initIndex(capacity, m, efConstruction, seed);
    return graph;
  };
  const graph = create(corpus.rows);
  const points = rows(corpus.vectors, dims);
  return {
    warmUp() {
      const scratch = create(100);
      points.slice(0, 100).forEach((point, label) => {
        scratch.addPoint(point, label);
      });
    },
    run() {
      for (let label = 0; label < points.length; label++) graph.addPoint(points[label], label);
      return { units: points.length };
    },
    quality() {
      graph.setEf(ef);
      const queries = rows(corpus.queries, dims);
      const answer = () => queries.flatMap((query) => graph.searchKnn(query, k).neighbors);
      answer();
      const from = performance.now();
      const found = answer();
      const seconds = (performance.now() - from) / 1000;
      return {
        [`recall@${k}`]: recall(Uint32Array.from(found), corpus.truth, k),
        [QUERIES_A_SECOND]: queries.length / seconds,
      };
    },
  };
}
