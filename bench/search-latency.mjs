/**
 * How long a search takes, by stage, from the timings that ride on every result.
 *
 *   node bench/search-latency.mjs INDEX QUERIES [--repeat N] [--k N] [--limit N] [--rerank on|off|auto] [--json]
 *
 * QUERIES is a BEIR file: one {"_id", "text"} a line, .jsonl or .jsonl.gz. Searches run one after another, as one
 * caller sees them; the first ones, which load models and warm caches, are not counted.
 */
import { parseArgs } from 'node:util';
import { openIndex } from '../dist/index.js';
import { latencyByStage } from './lib/latency.mjs';
import { machine, machineLine, peakRssMiB } from './lib/machine.mjs';
import { readQueries } from './lib/queries.mjs';
import { figure, markdownTable } from './lib/table.mjs';

const WARM_UP_SEARCHES = 20;
const RERANK = { on: true, off: false, auto: 'auto' };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repeat: { type: 'string', default: '3' },
    k: { type: 'string', default: '10' },
    limit: { type: 'string', default: '500' },
    rerank: { type: 'string', default: 'auto' },
    json: { type: 'boolean', default: false },
  },
});
const [indexFolder, queriesFile] = positionals;
if (queriesFile === undefined || !(options.rerank in RERANK)) {
  console.error(
    'usage: node bench/search-latency.mjs INDEX QUERIES [--repeat N] [--k N] [--limit N] [--rerank on|off|auto]',
  );
  process.exit(1);
}

const queries = readQueries(queriesFile).slice(0, Number(options.limit));
const searchOptions = { k: Number(options.k), rerank: RERANK[options.rerank] };
const index = await openIndex(indexFolder, { create: false });
try {
  for (const query of queries.slice(0, WARM_UP_SEARCHES)) await index.search(query, searchOptions);
  const timings = [];
  let hits = 0;
  const from = performance.now();
  for (let round = 0; round < Number(options.repeat); round++) {
    for (const query of queries) {
      const result = await index.search(query, searchOptions);
      timings.push(result.timings);
      hits += result.hits.length;
    }
  }
  const seconds = (performance.now() - from) / 1000;
  const summary = {
    searches: timings.length,
    searchesPerSecond: timings.length / seconds,
    hitsPerSearch: hits / timings.length,
    stages: latencyByStage(timings),
    peakRssMiB: peakRssMiB(),
  };
  console.log(options.json ? JSON.stringify({ machine: machine(), ...summary }, null, 2) : report(summary));
} finally {
  await index.close();
}

function report({ searches, searchesPerSecond, hitsPerSearch, stages, peakRssMiB: peak }) {
  const rows = stages.map(({ stage, count, ...ms }) => [stage, count, ...Object.values(ms).map(figure)]);
  return [
    machineLine(machine()),
    `${queries.length} queries × ${options.repeat}, k ${options.k}, rerank ${options.rerank}`,
    '',
    markdownTable(['stage', 'ran:', 'p50 ms:', 'p95 ms:', 'p99 ms:', 'max ms:'], rows),
    '',
    `${figure(searches)} searches, ${figure(searchesPerSecond)} a second one after another, ${figure(hitsPerSearch)} hits each`,
    `peak RSS ${figure(peak)} MiB`,
  ].join('\n');
}
