/**
 * How much of what answers a question is in the chunks that are found, and how much else?
 *
 *   node bench/chunking-eval/run.mjs COLLECTION [--only NAME]... [--cache FOLDER] [--json]
 *
 * COLLECTION is a folder with the documents, questions and excerpts of Chroma's chunking evaluation. Each chunker cuts
 * all documents, the product's all-MiniLM-L6-v2 embeds what it embeds of a chunk, five chunks are found for each question
 * by exact search (of 'parent-child': five parents by their nearest child), and the excerpts are held against them
 * (../lib/span-metrics.mjs). The report's own chunkers run beside ours; its published figures stand below. --only takes
 * the rows whose names begin so; --cache keeps vectors.
 */
import { parseArgs } from 'node:util';
import { makeDocument } from '../../dist/documents/index.js';
import { textAt } from '../../dist/model/text-column.js';
import { chunkerOf } from '../lib/chunkers.mjs';
import { machine, machineLine } from '../lib/machine.mjs';
import { precisionOmega, retrievalScores } from '../lib/span-metrics.mjs';
import { markdownTable } from '../lib/table.mjs';
import { readCollection } from './collection.mjs';
import { openCachedEmbedder } from './embedder.mjs';
import { cluster, fixed, recursive } from './peers.mjs';
import { MINILM, TEXT_EMBEDDING_3_LARGE } from './published.mjs';

const RETRIEVED = 5;
/** Tokens of all-MiniLM-L6-v2 that are left for text. */
const ROOM_TOKENS = 254;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true },
    cache: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1) {
  console.error(
    'usage: node bench/chunking-eval/run.mjs COLLECTION [--only NAME]... [--cache FOLDER] [--json]',
  );
  process.exit(2);
}

const { documents, questions } = readCollection(positionals[0]);
const embedder = await openCachedEmbedder({ model: 'all-MiniLM-L6-v2', cacheFolder: options.cache });

/** Our chunks with what is embedded of them. */
function ours(chunkOptions, format = 'markdown') {
  return async ({ id, title, text }) => {
    const isSized = chunkOptions.preset !== undefined;
    const chunker = chunkerOf(
      'model',
      isSized ? chunkOptions : { limitTokens: ROOM_TOKENS, ...chunkOptions },
    );
    const document = makeDocument({ id, title, text, format });
    if (document.text !== text) throw new Error(`${id}: the reader changed the text`);
    const { start, end, parentStart, parentEnd, embeddingText } = await chunker.chunk(document);
    const answers = chunker.fingerprint.startsWith('parent-child(');
    return Array.from(start, (at, row) => ({
      start: answers ? parentStart[row] : at,
      end: answers ? parentEnd[row] : end[row],
      read: textAt(embeddingText, row),
    }));
  };
}

const CHUNKERS = {
  'auto (default)': ours({}),
  'structure 254/38': ours({ strategy: 'structure' }),
  'window 254/38': ours({ strategy: 'window' }, 'text'),
  'window 254/127': ours({ strategy: 'window', overlapTokens: 127 }, 'text'),
  'window 128/0': ours({ strategy: 'window', limitTokens: 128, overlapTokens: 0 }, 'text'),
  'structure 128/0': ours({ strategy: 'structure', limitTokens: 128, overlapTokens: 0 }),
  'structure 100/0': ours({ strategy: 'structure', limitTokens: 100, overlapTokens: 0 }),
  'recursive 200/0': ours({ strategy: 'recursive', limitTokens: 200, overlapTokens: 0 }, 'text'),
  'recursive 150/0': ours({ strategy: 'recursive', limitTokens: 150, overlapTokens: 0 }, 'text'),
  'words 160/24': ours({ strategy: 'words' }, 'text'),
  'parent-child 1500/0, 254/40 (default)': ours({ strategy: 'parent-child' }),
  'small-to-big (preset: parents 280, children 56/0)': ours({ preset: 'small-to-big' }),
  'report: fixed 250/125': fixed(250, 125),
  'report: recursive 250/125': recursive(250, 125),
  'report: recursive 200/0': recursive(200, 0),
  'report: cluster 200': cluster(200, (texts) => embedder.embed(texts)),
};

/** Rows by their likeness to a question, best first: dot products. */
function ranked(question, { dims, data }, rows) {
  const scores = Float64Array.from({ length: rows }, (_, row) => {
    let sum = 0;
    for (let i = 0, at = row * dims; i < dims; i++, at++) sum += question[i] * data[at];
    return sum;
  });
  return [...scores.keys()].sort((a, b) => scores[b] - scores[a]);
}

/** The first five spans that the rows answer with: a parent counts once, however many of its children are found. */
function firstSpans(rows, answerOf) {
  const found = new Set();
  for (const row of rows) {
    found.add(answerOf[row]);
    if (found.size === RETRIEVED) break;
  }
  return [...found];
}

/** What is embedded, and the distinct spans that answer for it. */
async function cutAll(cut) {
  const texts = [];
  const spans = [];
  const answerOf = [];
  for (const document of documents) {
    for (const { start, end, read } of await cut(document)) {
      const last = spans.at(-1);
      const isSame = last?.document === document.id && last.start === start && last.end === end;
      if (!isSame) spans.push({ document: document.id, start, end });
      answerOf.push(spans.length - 1);
      texts.push(read ?? document.text.slice(start, end));
    }
  }
  return { texts, spans, answerOf };
}

async function measure(name, cut, asked) {
  const { texts, spans, answerOf } = await cutAll(cut);
  const vectors = await embedder.embed(texts);
  const scores = questions.map(({ excerpts }, row) => {
    const question = asked.data.subarray(row * asked.dims, (row + 1) * asked.dims);
    const found = firstSpans(ranked(question, vectors, texts.length), answerOf);
    return {
      ...retrievalScores(
        found.map((span) => spans[span]),
        excerpts,
      ),
      precisionOmega: precisionOmega(spans, excerpts),
    };
  });
  const mean = (key) => scores.reduce((sum, score) => sum + score[key], 0) / scores.length;
  return {
    name,
    vectors: texts.length,
    meanChars: spans.reduce((sum, { start, end }) => sum + end - start, 0) / spans.length,
    recall: mean('recall'),
    precision: mean('precision'),
    precisionOmega: mean('precisionOmega'),
    iou: mean('iou'),
  };
}

const percent = (value) => (100 * value).toFixed(1);
const figures = ({ recall, precision, precisionOmega: omega, iou }) =>
  [recall, precision, omega, iou].map(percent);
const METRICS = ['recall:', 'precision:', 'precisionΩ:', 'IoU:'];

const selected = Object.entries(CHUNKERS).filter(
  ([name]) => options.only === undefined || options.only.some((start) => name.startsWith(start)),
);
const measured = [];
try {
  const asked = await embedder.embed(
    questions.map(({ text }) => text),
    'query',
  );
  for (const [name, cut] of selected) {
    measured.push(await measure(name, cut, asked));
    console.error(`${name}: ${figures(measured.at(-1)).join(' ')}`);
  }
} finally {
  await embedder.close();
}

if (options.json) console.log(JSON.stringify({ machine: machine(), measured }, null, 2));
else {
  console.log(machineLine(machine()));
  console.log(
    `${documents.length} documents, ${questions.length} questions, ${RETRIEVED} chunks each, per cent\n`,
  );
  console.log(
    markdownTable(
      ['chunker', 'vectors:', 'mean characters:', ...METRICS],
      measured.map((one) => [one.name, one.vectors, one.meanChars.toFixed(0), ...figures(one)]),
    ),
  );
  for (const [model, rows] of [
    ['all-MiniLM-L6-v2', MINILM],
    ['text-embedding-3-large', TEXT_EMBEDDING_3_LARGE],
  ]) {
    console.log(
      `\n${markdownTable(
        [`published, ${model}`, ...METRICS],
        rows.map((one) => [one.name, ...figures(one)]),
      )}`,
    );
  }
}
