/**
 * Hybrid searches as a server makes them, one after another: their latency without a filter, and for each kind with a
 * filter never seen before and with one that is cached; what comes back; and the memory of the process. Prints JSON.
 *
 *   node --expose-gc bench/scale/serve.mjs CORPUS INDEX EXACT [--graph-threshold N]
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openIndex } from '../../dist/index.js';
import { latencyByStage } from '../lib/latency.mjs';
import { rssAnonBytes } from '../lib/memory.mjs';
import { percentile } from '../lib/stats.mjs';
import { K } from './exact.mjs';
import { FILTER_KINDS } from './metadata.mjs';
import { wordEmbedder } from './word-embedder.mjs';

const WARM_UP = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'graph-threshold': { type: 'string' } },
});
const [corpusFolder, indexFolder, exactFile] = positionals;
const questions = JSON.parse(readFileSync(path.join(corpusFolder, 'questions.json'), 'utf8'));
const exact = JSON.parse(readFileSync(exactFile, 'utf8'));
const threshold = values['graph-threshold'];
const embedder = wordEmbedder();

globalThis.gc?.();
const before = rssAnonBytes();
const index = await openIndex(indexFolder, {
  model: embedder,
  reranker: false,
  readonly: true,
  ...(threshold && { graphThreshold: Number(threshold) }),
});
for (const { text } of questions.slice(0, WARM_UP)) await index.search(text, { k: K });
const timings = [];
const unfiltered = await askAll(() => undefined, timings);
globalThis.gc?.();
const serving = rssAnonBytes();
const kinds = [];
for (const kind of FILTER_KINDS) kinds.push({ kind: kind.name, ...(await askFiltered(kind)) });
globalThis.gc?.();
const { chunks } = await index.stats();
console.log(
  JSON.stringify({
    chunks,
    unfiltered,
    stages: latencyByStage(timings),
    kinds,
    rssAnon: { before, serving, afterFilters: rssAnonBytes() },
  }),
);
await index.close();
await embedder.close();

async function askFiltered({ name, filter, allows }) {
  let short = 0;
  let forbidden = 0;
  const check = (hits, question, at) => {
    if (hits.length < Math.min(K, exact[name][at].allowed)) short++;
    if (hits.some(({ metadata }) => !allows(metadata, question, at))) forbidden++;
  };
  const fresh = await askAll((question, at) => filter(question, at, true), [], check);
  const kept = (question, at) => filter(question, at, false);
  await askAll(kept, []);
  return { fresh, cached: await askAll(kept, []), short, forbidden };
}

/** @returns {Promise<{ p50: number, p95: number, p99: number }>} milliseconds of whole searches, as the caller sees them */
async function askAll(filterOf, stages, check = () => {}) {
  const times = [];
  for (const [at, question] of questions.entries()) {
    const filter = filterOf(question, at);
    const from = performance.now();
    const result = await index.search(question.text, { k: K, ...(filter && { filter }) });
    times.push(performance.now() - from);
    stages.push(result.timings);
    check(result.hits, question, at);
  }
  return { p50: percentile(times, 50), p95: percentile(times, 95), p99: percentile(times, 99) };
}
