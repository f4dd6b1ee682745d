/**
 * From the call of `openIndex` to the first answer, in a process of its own. Prints milliseconds as JSON.
 *
 *   node bench/scale/first-answer.mjs CORPUS INDEX
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openIndex } from '../../dist/index.js';
import { wordEmbedder } from './word-embedder.mjs';

const [corpusFolder, indexFolder] = process.argv.slice(2);
const [question] = JSON.parse(readFileSync(path.join(corpusFolder, 'questions.json'), 'utf8'));
const embedder = wordEmbedder();
const started = performance.now();
const index = await openIndex(indexFolder, { model: embedder, reranker: false, readonly: true });
const opened = performance.now();
const { hits } = await index.search(question.text, { k: 10 });
const answered = performance.now();
if (hits.length === 0) throw new Error(`no answer to "${question.text}"`);
await index.close();
await embedder.close();
console.log(
  JSON.stringify({ openMs: opened - started, answerMs: answered - started, sinceStartMs: answered }),
);
