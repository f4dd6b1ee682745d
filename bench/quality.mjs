/**
 * How good are the answers, what is each stage worth, and what did indexing cost? Indexes judged collections and
 * searches them in every configuration.
 *
 *   node bench/quality.mjs COLLECTION... [--keep DIR] [--queries N] [--preset NAME] [--json]
 *
 * A collection is a folder with corpus.jsonl[.gz], queries.jsonl[.gz] and qrels.tsv[.gz] in the form of BEIR. --keep
 * leaves the indexes under DIR and uses those that are there; --queries asks only the first N judged queries of each;
 * --preset cuts by other sizes than the default.
 * `rrf` is reciprocal rank fusion alone; `fused` is the default first stage, the blend of standardised scores.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evaluate, openIndex, readQrels, readQueries, standardConfigurations } from '../dist/index.js';
import { machine, machineLine, peakRssMiB } from './lib/machine.mjs';
import { figure, markdownTable } from './lib/table.mjs';

const { values: options, positionals: collections } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'string' },
    queries: { type: 'string' },
    preset: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
if (collections.length === 0) {
  console.error(
    'usage: node bench/quality.mjs COLLECTION... [--keep DIR] [--queries N] [--preset NAME] [--json]',
  );
  process.exit(2);
}

function fileOf(collection, name) {
  const plain = path.join(collection, name);
  return existsSync(plain) ? plain : `${plain}.gz`;
}

/** The standard configurations, and ranks alone beside the blend. */
function configurations() {
  const standard = standardConfigurations({ reranker: true });
  const at = standard.findIndex(({ name }) => name === 'fused');
  const { options } = standard[at];
  return standard.toSpliced(at, 0, { name: 'rrf', options: { ...options, blend: { cosine: 0, bm25: 0 } } });
}

function firstOf(qrels, count) {
  return count === undefined ? qrels : new Map([...qrels].slice(0, Number(count)));
}

async function measure(collection, folder) {
  const fresh = !existsSync(folder);
  const index = await openIndex(folder, options.preset ? { chunking: { preset: options.preset } } : {});
  try {
    const report = fresh ? await index.add(fileOf(collection, 'corpus.jsonl')) : undefined;
    const qrels = firstOf(await readQrels(fileOf(collection, 'qrels.tsv')), options.queries);
    const result = await evaluate({
      search: (query, searchOptions) => index.search(query, searchOptions),
      queries: await readQueries(fileOf(collection, 'queries.jsonl')),
      qrels,
      configurations: configurations(),
    });
    return { collection: path.basename(collection), report, result };
  } finally {
    await index.close();
  }
}

const root = options.keep ?? mkdtempSync(path.join(os.tmpdir(), 'sluice-quality-'));
const measured = [];
try {
  for (const collection of collections) {
    measured.push(await measure(collection, path.join(root, path.basename(path.resolve(collection)))));
    console.error(`${measured.at(-1).collection} done`);
  }
} finally {
  if (options.keep === undefined) rmSync(root, { recursive: true, force: true });
}

if (options.json) console.log(JSON.stringify({ machine: machine(), measured }));
else {
  console.log(machineLine(machine()));
  const names = configurations().map(({ name }) => name);
  const table = (metric, digits) =>
    markdownTable(
      [metric, 'queries:', ...names.map((name) => `${name}:`)],
      measured.map(({ collection, result }) => [
        collection,
        result.queries,
        ...result.configurations.map((one) => (one.metrics[metric] ?? one.latency[metric]).toFixed(digits)),
      ]),
    );
  for (const metric of ['nDCG@10', 'recall@100', 'MRR@10']) console.log(`\n${table(metric, 3)}`);
  console.log(`\n${table('p50Ms', 1)}`);
  for (const { collection, report } of measured) {
    if (!report) continue;
    console.log(
      `\n${collection}: ${figure(report.documents)} documents, ${figure(report.chunks)} chunks in ${figure(report.elapsedMs / 1000)} s, ${figure(report.tokensPerSecond)} tokens/s`,
    );
  }
  console.log(`\npeak RSS ${figure(peakRssMiB())} MiB`);
}
