/**
 * How much of an answer do the first hits hold, and how much else, by how documents were cut?
 *
 *   node bench/chunking.mjs COLLECTION [--case NAME]... [--hits N] [--json]
 *
 * COLLECTION is a folder with corpus.jsonl.gz, queries.jsonl.gz, and spans.jsonl.gz: the characters (code points) of a
 * document that answer a query. Each case is a new index by the model in the package, in a process of its own; both legs
 * search, nothing is reranked. Recall: the share of an answer's characters in the first N hits (5). Precision: the share
 * of the hits' characters that are of the answer. Both are means over queries. Recall within a budget of characters
 * compares small chunks with large ones: hits are read in order until there are CHAR_BUDGET characters.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openIndex } from '../dist/index.js';
import { machine, machineLine } from './lib/machine.mjs';
import { figure, markdownTable } from './lib/table.mjs';

const CHAR_BUDGET = 4000;

/** Name of a case → options of openIndex. */
const CASES = {
  auto: {},
  structure: { chunking: { strategy: 'structure' } },
  'structure 128': { chunking: { strategy: 'structure', limitTokens: 128 } },
  window: { chunking: { strategy: 'window' } },
  'window, no overlap': { chunking: { strategy: 'window', overlapTokens: 0 } },
  recursive: { chunking: { strategy: 'recursive' } },
  'words 40': { chunking: { strategy: 'words', limitWords: 40, overlapWords: 0 } },
  words: { chunking: { strategy: 'words' } },
  'cl100k-500-75': { chunking: { preset: 'cl100k-500-75' } },
  semantic: { chunking: { strategy: 'semantic' } },
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    case: { type: 'string', multiple: true },
    hits: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
    child: { type: 'boolean', default: false },
  },
});
const [collection] = positionals;
const cases = options.case ?? Object.keys(CASES);
const k = Number(options.hits);
if (collection === undefined || !(k >= 1) || cases.some((name) => !(name in CASES))) {
  console.error(`usage: node bench/chunking.mjs COLLECTION [--case NAME]... [--hits N] [--json]`);
  console.error(`cases: ${Object.keys(CASES).join('; ')}`);
  process.exit(1);
}

function readLines(name) {
  const text = gunzipSync(readFileSync(path.join(collection, `${name}.jsonl.gz`))).toString();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Of each document: the UTF-16 position of each code point. */
function positionsOf(text) {
  const positions = new Uint32Array(text.length + 1);
  let count = 0;
  for (let at = 0; at <= text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) positions[count++] = at;
  return positions;
}

/** Characters of the union of spans, and of what they share with others: [{ id, start, end }]. */
function lengthOf(spans) {
  let total = 0;
  let reach = {};
  for (const span of [...spans].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.start - b.start))) {
    const from = reach.id === span.id ? Math.max(span.start, reach.end) : span.start;
    if (span.end > from) total += span.end - from;
    if (reach.id !== span.id || span.end > reach.end) reach = span;
  }
  return total;
}

function shared(hits, answer) {
  const common = hits.flatMap((hit) =>
    answer
      .filter((span) => span.id === hit.id && span.start < hit.end && span.end > hit.start)
      .map((span) => ({
        id: hit.id,
        start: Math.max(span.start, hit.start),
        end: Math.min(span.end, hit.end),
      })),
  );
  return lengthOf(common);
}

function withinBudget(hits) {
  let left = CHAR_BUDGET;
  return hits.flatMap((hit) => {
    const end = Math.min(hit.end, hit.start + left);
    left -= Math.max(0, end - hit.start);
    return end > hit.start ? [{ ...hit, end }] : [];
  });
}

async function measure(name) {
  const corpus = readLines('corpus');
  const positions = new Map(corpus.map(({ _id, text }) => [_id, positionsOf(text)]));
  const answers = new Map();
  for (const { query_id, doc_id, start, end } of readLines('spans')) {
    const at = positions.get(doc_id);
    const spans = answers.get(query_id) ?? [];
    answers.set(query_id, [...spans, { id: doc_id, start: at[start], end: at[end] }]);
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-chunking-'));
  const index = await openIndex(folder, { reranker: false, ...CASES[name] });
  try {
    const started = performance.now();
    const report = await index.add(corpus.map(({ _id, title, text }) => ({ id: _id, title, text })));
    const seconds = (performance.now() - started) / 1000;
    const sums = { recall: 0, precision: 0, budget: 0 };
    const queries = readLines('queries').filter(({ _id }) => answers.has(_id));
    for (const { _id, text } of queries) {
      const answer = answers.get(_id);
      const { hits } = await index.search(text, { k: 40, rerank: false });
      const spans = hits.map(({ documentId, start, end }) => ({ id: documentId, start, end }));
      const first = spans.slice(0, k);
      sums.recall += shared(first, answer) / lengthOf(answer);
      sums.precision += first.length === 0 ? 0 : shared(first, answer) / lengthOf(first);
      sums.budget += shared(withinBudget(spans), answer) / lengthOf(answer);
    }
    const means = Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum / queries.length]));
    return { name, chunks: report.chunks, seconds, queries: queries.length, ...means };
  } finally {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (options.child) {
  console.log(JSON.stringify(await measure(cases[0])));
} else {
  const rows = cases.map((name) => {
    const args = [import.meta.filename, collection, '--case', name, '--hits', String(k), '--child'];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  });
  if (options.json) console.log(JSON.stringify({ machine: machine(), hits: k, rows }));
  else {
    console.log(`${rows[0].queries} queries, ${k} hits; ${machineLine(machine())}\n`);
    const share = (value) => value.toFixed(3);
    console.log(
      markdownTable(
        ['case', 'chunks', 'recall', 'precision', `recall in ${CHAR_BUDGET} characters`, 'seconds to index'],
        rows.map((row) => [
          row.name,
          figure(row.chunks),
          share(row.recall),
          share(row.precision),
          share(row.budget),
          figure(row.seconds),
        ]),
      ),
    );
  }
}
