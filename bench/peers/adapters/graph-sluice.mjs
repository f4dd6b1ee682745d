import { addon } from '../../../dist/native/addon.js';
import { recall } from '../../lib/vectors-corpus.mjs';
import { QUERIES_A_SECOND } from './rows.mjs';

/** What the store hands over at a time. */
const BATCH_ROWS = 2048;
/** What the store scores again, for k = 10: see src/store/vector-leg.ts. */
const SHORTLIST = 64;

/** One adapter for both precisions. */
export function openGraph(precision, corpus, { dims, m, efConstruction, seed, threads, ef, k }) {
  const { VectorGraph, scoreRows } = addon();
  const create = () => VectorGraph.create(dims, 'cosine', precision, m, efConstruction, seed);
  const graph = create();
  const row = (vectors, at) => vectors.subarray(at * dims, (at + 1) * dims);
  const data = new Float32Array(SHORTLIST * dims);

  /** Hits of all queries on one thread; int8 candidates are scored by the vectors themselves. */
  async function answer() {
    const wanted = precision === 'int8' ? SHORTLIST : k;
    const { labels, counts } = await graph.search(corpus.queries, wanted, ef, 1, null);
    if (precision === 'float32') return labels;
    const best = new Uint32Array(corpus.queryRows * k);
    for (let q = 0; q < corpus.queryRows; q++) {
      const found = labels.subarray(q * wanted, q * wanted + counts[q]);
      found.forEach((label, i) => {
        data.set(row(corpus.vectors, label), i * dims);
      });
      const scores = scoreRows(row(corpus.queries, q), data.subarray(0, found.length * dims), 'cosine');
      const order = [...found.keys()].sort((a, b) => scores[b] - scores[a] || found[a] - found[b]);
      order.slice(0, k).forEach((at, i) => {
        best[q * k + i] = found[at];
      });
    }
    return best;
  }

  return {
    async warmUp() {
      const count = Math.min(100, corpus.rows);
      await create().insert(labelsFrom(0, count), corpus.vectors.subarray(0, count * dims), threads);
    },
    async run() {
      for (let from = 0; from < corpus.rows; from += BATCH_ROWS) {
        const to = Math.min(corpus.rows, from + BATCH_ROWS);
        await graph.insert(labelsFrom(from, to), corpus.vectors.subarray(from * dims, to * dims), threads);
      }
      return { units: corpus.rows };
    },
    async quality() {
      await answer();
      const from = performance.now();
      const found = await answer();
      const seconds = (performance.now() - from) / 1000;
      return {
        [`recall@${k}`]: recall(found, corpus.truth, k),
        [QUERIES_A_SECOND]: corpus.queryRows / seconds,
      };
    },
  };
}

function labelsFrom(from, to) {
  return Uint32Array.from({ length: to - from }, (_, i) => from + i);
}
