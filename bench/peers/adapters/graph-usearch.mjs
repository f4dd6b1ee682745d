import { recall } from '../../lib/vectors-corpus.mjs';
import { requirePeer } from '../peer-modules.mjs';
import { QUERIES_A_SECOND } from './rows.mjs';

const BATCH_ROWS = 2048;

export async function open(corpus, { dims, m, efConstruction, threads, ef, k }) {
  const { Index } = requirePeer('usearch');
  const create = () =>
    new Index({
      metric: 'cos',
      dimensions: dims,
      quantization: 'i8',
      connectivity: m,
      expansion_add: efConstruction,
      expansion_search: ef,
    });
  const index = create();
  const add = (target, from, to) => {
    const keys = BigUint64Array.from({ length: to - from }, (_, i) => BigInt(from + i));
    target.add(keys, corpus.vectors.subarray(from * dims, to * dims), threads);
  };
  return {
    warmUp() {
      add(create(), 0, Math.min(100, corpus.rows));
    },
    run() {
      for (let from = 0; from < corpus.rows; from += BATCH_ROWS) {
        add(index, from, Math.min(corpus.rows, from + BATCH_ROWS));
      }
      return { units: corpus.rows };
    },
    quality() {
      index.search(corpus.queries, k, 1);
      const from = performance.now();
      const { keys } = index.search(corpus.queries, k, 1);
      const seconds = (performance.now() - from) / 1000;
      return {
        [`recall@${k}`]: recall(Uint32Array.from(keys, Number), corpus.truth, k),
        [QUERIES_A_SECOND]: corpus.queryRows / seconds,
      };
    },
  };
}
