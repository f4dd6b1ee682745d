/**
 * Clustered unit vectors: each is a random centre plus noise, a thousand to a centre, so that neighbours exist as they
 * do among embeddings (cosine 0.67 within a cluster, near 0 between). Smaller clusters are found completely by any
 * graph and say nothing about recall; uniform random vectors have no neighbours at all.
 */
import { gaussian, uniform } from './random.mjs';

const VECTORS_PER_CENTRE = 1000;
/** Length of the noise against a centre of length 1. */
const NOISE = 0.7;

/** Row-major unit vectors and queries from the same centres; no query is in the corpus. */
export function clusteredVectors({ count, queryCount, dims, seed }) {
  const normal = gaussian(seed);
  const pick = uniform(seed + 1);
  const centreCount = Math.max(1, Math.round(count / VECTORS_PER_CENTRE));
  const centres = new Float32Array(centreCount * dims);
  for (let row = 0; row < centreCount; row++)
    fillUnit(centres.subarray(row * dims, (row + 1) * dims), normal);
  const draw = (rows) => {
    const data = new Float32Array(rows * dims);
    for (let row = 0; row < rows; row++) {
      const centre = Math.floor(pick() * centreCount);
      const target = data.subarray(row * dims, (row + 1) * dims);
      const scale = NOISE / Math.sqrt(dims);
      for (let i = 0; i < dims; i++) target[i] = centres[centre * dims + i] + scale * normal();
      normalise(target);
    }
    return data;
  };
  return { vectors: draw(count), queries: draw(queryCount) };
}

function fillUnit(target, normal) {
  for (let i = 0; i < target.length; i++) target[i] = normal();
  normalise(target);
}

function normalise(target) {
  let squares = 0;
  for (const value of target) squares += value * value;
  const length = Math.sqrt(squares);
  for (let i = 0; i < target.length; i++) target[i] /= length;
}

/** The k rows with the highest dot product to each query, best first: the truth that recall is measured against. */
export function exactNeighbours({ vectors, queries, dims, k }) {
  const rows = vectors.length / dims;
  const queryCount = queries.length / dims;
  const truth = new Uint32Array(queryCount * k);
  const scores = new Float64Array(rows);
  for (let query = 0; query < queryCount; query++) {
    const q = queries.subarray(query * dims, (query + 1) * dims);
    for (let row = 0; row < rows; row++) {
      let sum = 0;
      for (let i = 0, at = row * dims; i < dims; i++, at++) sum += q[i] * vectors[at];
      scores[row] = sum;
    }
    truth.set(topRows(scores, k), query * k);
  }
  return truth;
}

function topRows(scores, k) {
  const best = [];
  for (let row = 0; row < scores.length; row++) {
    if (best.length === k && scores[row] <= scores[best[k - 1]]) continue;
    let at = best.length;
    while (at > 0 && scores[best[at - 1]] < scores[row]) at--;
    best.splice(at, 0, row);
    if (best.length > k) best.pop();
  }
  return best;
}

/** Share of the true neighbours that were found, over all queries. */
export function recall(found, truth, k) {
  let hits = 0;
  for (let start = 0; start < truth.length; start += k) {
    const expected = new Set(truth.subarray(start, start + k));
    for (let i = start; i < start + k; i++) if (expected.delete(found[i])) hits++;
  }
  return hits / truth.length;
}
