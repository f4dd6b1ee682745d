import { recall } from '../../lib/vectors-corpus.mjs';
import { requirePeer } from '../peer-modules.mjs';
import { rows } from './rows.mjs';

export async function open(corpus, { dims, ef, k }) {
  const { HierarchicalNSW } = requirePeer('hnswlib-node');
  const graph = new HierarchicalNSW('cosine', dims);
  graph.readIndexSync(corpus.graphFile);
  graph.setEf(ef);
  const queries = rows(corpus.queries, dims);
  const found = new Uint32Array(queries.length * k);
  let seconds = 0;
  const searchAll = () => {
    for (let i = 0; i < queries.length; i++) found.set(graph.searchKnn(queries[i], k).neighbors, i * k);
  };
  return {
    warmUp: searchAll,
    run() {
      const from = performance.now();
      searchAll();
      seconds = (performance.now() - from) / 1000;
      return { units: queries.length };
    },
    quality() {
      return {
        [`recall@${k}`]: recall(found, corpus.truth, k),
        'one at a time /s': queries.length / seconds,
      };
    },
  };
}
