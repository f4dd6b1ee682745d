/**
 * What is a context line worth that a sentence of the document gives, without any model?
 *
 *   node bench/context.mjs COLLECTION... [--queries N] [--keywords] [--json]
 *
 * A collection is a folder in the form of BEIR (corpus.jsonl[.gz], queries, qrels). Where it has spans.jsonl[.gz] (the
 * excerpts that answer each question), passages are judged: a passage is relevant if it shares a character with an
 * excerpt, and the ideal order is that of all such passages in the index. Without spans, documents are.
 *
 * Three indexes of each collection: `none` as an index is made by default, `shorter` with chunks that are as much shorter
 * as a line takes (the line's own worth is against this one), `extractive` with lines. nDCG@10 of keywords, vectors and
 * both fused, without reranking. --keywords measures the keyword leg alone, without a model: minutes instead of an hour.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import {
  callerEmbedder,
  evaluate,
  openIndex,
  readQrels,
  readQueries,
  standardConfigurations,
} from '../dist/index.js';
import { machine, machineLine } from './lib/machine.mjs';
import { figure, markdownTable } from './lib/table.mjs';

const DEPTH = 10;
const CONTEXT_TOKENS = 64;

const { values: options, positionals: collections } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: 'string' },
    keywords: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
if (collections.length === 0) {
  console.error('usage: node bench/context.mjs COLLECTION... [--queries N] [--keywords] [--json]');
  process.exit(2);
}

/** Vectors that say nothing, of a model whose window is that of the packaged one. */
const nothing = callerEmbedder({
  ...{ model: 'nothing', dims: 1, windowTokens: 256 },
  embed: async (texts) => texts.map(() => [1]),
});
const model = options.keywords ? { model: nothing, reranker: false } : {};

function fileOf(collection, name) {
  const plain = path.join(collection, name);
  return existsSync(plain) ? plain : `${plain}.gz`;
}

/** The excerpts of each question by document, in UTF-16 units: the files count code points. */
function readSpans(collection) {
  const file = fileOf(collection, 'spans.jsonl');
  if (!existsSync(file)) return undefined;
  const lines = (name) => {
    const bytes = readFileSync(fileOf(collection, name));
    const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  };
  const units = new Map(lines('corpus.jsonl').map(({ _id, text }) => [_id, unitsOf(text)]));
  const byQuery = new Map();
  for (const { query_id, doc_id, start, end } of lines('spans.jsonl')) {
    const at = units.get(doc_id);
    if (!byQuery.has(query_id)) byQuery.set(query_id, []);
    byQuery.get(query_id).push({ document: doc_id, start: at[start], end: at[end] });
  }
  return byQuery;
}

/** Position in UTF-16 units of each code point, and of the end. */
function unitsOf(text) {
  const units = [];
  let at = 0;
  for (const sign of text) {
    units.push(at);
    at += sign.length;
  }
  return [...units, at];
}

const touches = (chunk, span) => chunk.start < span.end && chunk.end > span.start;

/** nDCG@10 over passages with gains of 0 and 1. */
async function judgePassages(index, queries, spans, configuration) {
  const documents = new Map();
  for await (const { id, chunks } of index.scan({ chunks: true })) documents.set(id, chunks);
  let sum = 0;
  for (const [id, query] of queries) {
    const wanted = spans.get(id);
    const { hits } = await index.search(query, { ...configuration.options, k: DEPTH, collapse: 'none' });
    const gain = (hit) => wanted.some((span) => span.document === hit.documentId && touches(hit, span));
    const relevant = [...new Set(wanted.map((span) => span.document))].flatMap((document) =>
      documents
        .get(document)
        .filter((chunk) => wanted.some((span) => span.document === document && touches(chunk, span))),
    ).length;
    const discounted = hits.reduce((all, hit, rank) => all + Number(gain(hit)) / Math.log2(rank + 2), 0);
    let ideal = 0;
    for (let rank = 0; rank < Math.min(DEPTH, relevant); rank++) ideal += 1 / Math.log2(rank + 2);
    sum += ideal === 0 ? 0 : discounted / ideal;
  }
  return sum / queries.size;
}

async function measure(collection, folder, indexOptions, spans) {
  const index = await openIndex(folder, { ...model, ...indexOptions });
  try {
    const report = await index.add(fileOf(collection, 'corpus.jsonl'));
    const configurations = standardConfigurations({ depth: 100 }).slice(0, options.keywords ? 1 : 3);
    const all = await readQueries(fileOf(collection, 'queries.jsonl'));
    const qrels = new Map(
      [...(await readQrels(fileOf(collection, 'qrels.tsv')))].slice(0, Number(options.queries ?? Infinity)),
    );
    const queries = new Map([...all].filter(([id]) => (spans ? spans.has(id) : true) && qrels.has(id)));
    const scores = [];
    if (spans) {
      for (const one of configurations) scores.push(await judgePassages(index, queries, spans, one));
    } else {
      const search = (query, how) => index.search(query, how);
      const result = await evaluate({ search, queries: all, qrels, configurations });
      scores.push(...result.configurations.map(({ metrics }) => metrics['nDCG@10']));
    }
    const seconds = report.elapsedMs / 1_000;
    return {
      chunks: report.chunks,
      lines: report.contexts.extracted,
      seconds,
      queries: queries.size,
      scores,
    };
  } finally {
    await index.close();
  }
}

/** The default limit of an index with the packaged model. */
async function defaultLimit(root) {
  const index = await openIndex(path.join(root, 'probe'), model);
  const limit = Number(/limit=(\d+)/.exec(index.passport.chunker)[1]);
  await index.close();
  return limit;
}

const root = mkdtempSync(path.join(os.tmpdir(), 'sluice-context-'));
const measured = [];
try {
  const limitTokens = (await defaultLimit(root)) - CONTEXT_TOKENS;
  const ways = [
    { name: 'none', options: {} },
    { name: 'shorter', options: { chunking: { limitTokens } } },
    { name: 'extractive', options: { context: { extractive: true, contextTokens: CONTEXT_TOKENS } } },
  ];
  for (const collection of collections) {
    const name = path.basename(path.resolve(collection));
    const spans = readSpans(collection);
    for (const way of ways) {
      const folder = path.join(root, `${name}-${way.name}`);
      const result = await measure(collection, folder, way.options, spans);
      measured.push({ collection: name, judged: spans ? 'passages' : 'documents', way: way.name, ...result });
      console.error(`${name} ${way.name} done`);
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}

if (options.json) console.log(JSON.stringify({ machine: machine(), measured }));
else {
  console.log(machineLine(machine()));
  const rows = measured.map(({ collection, judged, way, queries, chunks, lines, seconds, scores }) => [
    `${collection} (${judged})`,
    way,
    queries,
    chunks,
    lines,
    figure(seconds),
    ...scores.map((score) => score.toFixed(3)),
  ]);
  const headers = [
    'nDCG@10',
    'context',
    'queries:',
    'chunks:',
    'lines:',
    'indexed in s:',
    ...(options.keywords ? ['keywords:'] : ['keywords:', 'vectors:', 'fused:']),
  ];
  console.log(`\n${markdownTable(headers, rows)}`);
}
