/**
 * What each leg is worth: recall@10 of the vector leg against the exact answers, for each kind of filter, and how much
 * the keyword leg costs over tantivy called directly on the same files. Prints JSON.
 *
 *   node bench/scale/legs.mjs CORPUS INDEX EXACT [--graph-threshold N]
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { addon } from '../../dist/native/addon.js';
import { openStore } from '../../dist/store/index.js';
import { percentile } from '../lib/stats.mjs';
import { K, questionVector } from './exact.mjs';
import { FILTER_KINDS } from './metadata.mjs';

/** What a hybrid search asks of each leg. */
const CANDIDATES = 100;
/** The same similarity, summed up in another order. */
const ROUNDING = 1e-5;
const WARM_UP = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'graph-threshold': { type: 'string' } },
});
const [corpusFolder, indexFolder, exactFile] = positionals;
const questions = JSON.parse(readFileSync(path.join(corpusFolder, 'questions.json'), 'utf8'));
const exact = JSON.parse(readFileSync(exactFile, 'utf8'));
const threshold = values['graph-threshold'];
const store = await openStore(indexFolder, {
  readonly: true,
  ...(threshold && { graphThreshold: Number(threshold) }),
});
const reader = await store.reader();
const { graphVectors, tailVectors } = await reader.stats();
console.log(
  JSON.stringify({
    graphVectors,
    tailVectors,
    recall: await recallByKind(),
    keywords: await keywordLatency(),
  }),
);
await store.close();

/** @returns {Promise<{ kind: string, allowed: number, recall: number, short: number }[]>} */
async function recallByKind() {
  const rows = [await recallOf('none', () => undefined)];
  for (const { name, filter } of FILTER_KINDS) {
    rows.push(await recallOf(name, (question, at) => filter(question, at, true)));
  }
  return rows;
}

async function recallOf(kind, filterOf) {
  let wanted = 0;
  let found = 0;
  let short = 0;
  let allowed = 0;
  for (const [at, question] of questions.entries()) {
    const truth = exact[kind][at];
    const set = await reader.select(filterOf(question, at));
    if (set.count !== truth.allowed) {
      throw new Error(
        `${kind}: the filter of question ${at} allows ${set.count} chunks, ${truth.allowed} are right`,
      );
    }
    const { scores } = await reader.searchVectors(questionVector(question.text), CANDIDATES, set);
    const last = truth.scores.at(-1);
    wanted += truth.scores.length;
    found += scores.subarray(0, K).filter((score) => score >= last - ROUNDING).length;
    if (scores.length < Math.min(CANDIDATES, truth.allowed)) short++;
    allowed += truth.allowed;
  }
  return { kind, allowed: allowed / questions.length, recall: wanted === 0 ? 1 : found / wanted, short };
}

/** Both are asked each question in turn, so that a machine that slows down slows both. */
async function keywordLatency() {
  const direct = addon().KeywordReader.open(path.join(indexFolder, 'keywords'));
  const all = await reader.select(undefined);
  const ask = {
    leg: (query) => reader.searchKeywords(query, CANDIDATES, all),
    tantivy: (query) => direct.search(query, CANDIDATES, null),
  };
  for (const { text } of questions.slice(0, WARM_UP))
    for (const search of Object.values(ask)) await search(text);
  const times = { leg: [], tantivy: [] };
  for (const [at, { text }] of questions.entries()) {
    const order = at % 2 === 0 ? ['leg', 'tantivy'] : ['tantivy', 'leg'];
    for (const name of order) {
      const from = performance.now();
      await ask[name](text);
      times[name].push(performance.now() - from);
    }
  }
  await direct.close();
  const summary = (list) => ({ p50: percentile(list, 50), p95: percentile(list, 95) });
  return { leg: summary(times.leg), tantivy: summary(times.tantivy) };
}
