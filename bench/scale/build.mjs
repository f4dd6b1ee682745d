/**
 * Builds an index of a corpus the way a user does, in a process of its own, and prints what it cost as JSON.
 *
 *   node bench/scale/build.mjs CORPUS INDEX [--graph-threshold N]
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openIndex } from '../../dist/index.js';
import { rssAnonBytes } from '../lib/memory.mjs';
import { median } from '../lib/stats.mjs';
import { bytesByPart } from './disk.mjs';
import { wordEmbedder } from './word-embedder.mjs';

const SAMPLE_EVERY_MS = 100;
const CURVE_POINTS = 10;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'graph-threshold': { type: 'string' } },
});
const [corpusFolder, indexFolder] = positionals;
const { chunks: expected, chunking } = JSON.parse(
  readFileSync(path.join(corpusFolder, 'corpus.json'), 'utf8'),
);
const embedder = wordEmbedder();
const threshold = values['graph-threshold'];

globalThis.gc?.();
const before = rssAnonBytes();
const index = await openIndex(indexFolder, {
  model: embedder,
  reranker: false,
  chunking,
  ...(threshold && { graphThreshold: Number(threshold) }),
});
const { report, samples } = await add(path.join(corpusFolder, 'documents.jsonl'));
const closing = performance.now();
await index.close();
await embedder.close();
if (report.chunks !== expected)
  throw new Error(`${report.chunks} chunks were indexed, the corpus has ${expected}`);

// The first sample with every chunk ends the indexing; what comes after it is publishing.
const end = samples.findIndex(({ chunks }) => chunks === expected);
const indexing = samples.slice(0, end + 1);
const indexedMs = indexing.at(-1).ms;
console.log(
  JSON.stringify({
    chunks: report.chunks,
    documents: report.documents,
    seconds: {
      indexing: indexedMs / 1000,
      publish: (report.elapsedMs - indexedMs) / 1000,
      close: (performance.now() - closing) / 1000,
    },
    stageMs: report.stageMs,
    eventLoop: report.eventLoop,
    curve: curve(indexing, expected),
    rssAnon: {
      before,
      indexing: highest(indexing),
      publishing: highest(samples.slice(end)),
      // At a million chunks: while indexing at 50,000 and at 500,000.
      growth: [0.05, 0.5].map((share) => ({
        chunks: share * expected,
        bytes: around(indexing, share * expected),
      })),
    },
    disk: bytesByPart(indexFolder),
  }),
);

/** Progress with memory beside it, often enough to see a peak. */
async function add(file) {
  const samples = [];
  const run = index.add(file);
  for await (const { phase, chunks, elapsedMs } of run.progress(SAMPLE_EVERY_MS)) {
    samples.push({ phase, chunks, ms: elapsedMs, bytes: rssAnonBytes() });
  }
  return { report: await run, samples };
}

/** Chunks a second in each tenth of the corpus; flat is what one wants. */
function curve(samples, total) {
  const step = total / CURVE_POINTS;
  const rates = [];
  let from = { chunks: 0, ms: 0 };
  for (const sample of samples) {
    if (sample.chunks < (rates.length + 1) * step) continue;
    const perSecond = (1000 * (sample.chunks - from.chunks)) / (sample.ms - from.ms);
    while (rates.length < CURVE_POINTS && sample.chunks >= (rates.length + 1) * step) {
      rates.push({ chunks: Math.round((rates.length + 1) * step), perSecond });
    }
    from = sample;
  }
  return rates;
}

function highest(samples) {
  return samples.reduce((most, { bytes }) => Math.max(most, bytes), 0);
}

/** The middle of the samples near a size: one sample more or less is the garbage collector's. */
function around(samples, chunks) {
  const near = samples.filter((sample) => Math.abs(sample.chunks - chunks) <= chunks / 10);
  const used = near.length > 0 ? near : [samples.at(-1)];
  return median(used.map(({ bytes }) => bytes));
}
