/**
 * The exact answers: the k nearest vectors to each question under each filter, by scanning every vector of the index.
 * Which vectors a filter allows is decided here from the metadata, not by the product. Prints JSON.
 *
 *   node bench/scale/exact.mjs CORPUS INDEX
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { addon } from '../../dist/native/addon.js';
import { FILTER_KINDS } from './metadata.mjs';
import { DIMS, wordVectors } from './word-vectors.mjs';

export const K = 10;
const BATCH_ROWS = 65_536;

/** Filters stand in the order of FILTER_KINDS, after none at all. */
const KINDS = [{ name: 'none', allows: () => true }, ...FILTER_KINDS];

/**
 * @returns {{ [kind: string]: { allowed: number, scores: number[] }[] }} by question: how many chunks are allowed, and
 *   the best similarities, best first
 */
export async function exactAnswers(database, questions) {
  const db = new Database(database, { readonly: true });
  try {
    const metadata = metadataByKey(db);
    const found = KINDS.map(() => questions.map(() => ({ allowed: 0, scores: [] })));
    for (const batch of vectorBatches(db)) await scan(batch, questions, metadata, found);
    return Object.fromEntries(KINDS.map(({ name }, kind) => [name, found[kind]]));
  } finally {
    db.close();
  }
}

/** @returns {Map<number, object>} of the live documents, by key */
function metadataByKey(db) {
  const rows = db.prepare('SELECT key, metadata FROM documents WHERE died IS NULL').all();
  return new Map(rows.map(({ key, metadata }) => [key, JSON.parse(metadata)]));
}

function* vectorBatches(db) {
  const rows = db.prepare(
    `SELECT v.data AS data, d.key AS document FROM vectors v JOIN chunks c ON c.label = v.label
     JOIN documents d ON d.body = c.body AND d.died IS NULL ORDER BY v.label`,
  );
  let batch = newBatch();
  for (const { data, document } of rows.iterate()) {
    if (data.length !== DIMS * 4) throw new Error(`a vector has ${data.length} bytes, not ${DIMS * 4}`);
    batch.bytes.set(data, batch.rows * DIMS * 4);
    batch.documents[batch.rows++] = document;
    if (batch.rows < BATCH_ROWS) continue;
    yield batch;
    batch = newBatch();
  }
  if (batch.rows > 0) yield batch;
}

function newBatch() {
  const vectors = new Float32Array(BATCH_ROWS * DIMS);
  return { vectors, bytes: new Uint8Array(vectors.buffer), documents: new Uint32Array(BATCH_ROWS), rows: 0 };
}

async function scan({ vectors, documents, rows }, questions, metadata, found) {
  const flat = addon().FlatVectors.create(DIMS, 'cosine', 'float32');
  flat.append(
    Uint32Array.from({ length: rows }, (_, i) => i),
    vectors.subarray(0, rows * DIMS),
  );
  const scanOne = async (query, kind, at) => {
    const passes = (document) => KINDS[kind].allows(metadata.get(document), questions[at], at);
    const { bits, count } = labelBits(documents, rows, passes);
    const answer = found[kind][at];
    answer.allowed += count;
    if (count === 0) return;
    const { scores } = await flat.search(query, K, 1, bits);
    answer.scores = [...answer.scores, ...scores].sort((a, b) => b - a).slice(0, K);
  };
  for (const [at, { text }] of questions.entries()) {
    const query = questionVector(text);
    await Promise.all(KINDS.map((_, kind) => scanOne(query, kind, at)));
  }
}

export function questionVector(text) {
  const bytes = Buffer.from(text, 'utf8');
  return wordVectors(bytes, Uint32Array.of(0, bytes.length));
}

/** Rows of one document stand together, so each is asked once. */
function labelBits(documents, rows, passes) {
  const bits = new Uint8Array((rows >> 3) + 1);
  let count = 0;
  let asked;
  let allowed = false;
  for (let row = 0; row < rows; row++) {
    if (documents[row] !== asked) {
      asked = documents[row];
      allowed = passes(asked);
    }
    if (!allowed) continue;
    bits[row >> 3] |= 1 << (row & 7);
    count++;
  }
  return { bits, count };
}

if (process.argv[1] === import.meta.filename) {
  const [corpusFolder, indexFolder] = process.argv.slice(2);
  const questions = JSON.parse(readFileSync(path.join(corpusFolder, 'questions.json'), 'utf8'));
  console.log(JSON.stringify(await exactAnswers(path.join(indexFolder, 'sluice.db'), questions)));
}
