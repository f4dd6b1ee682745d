/**
 * Makes a corpus of real text out of what lies on a developer's machine: documents of about ten chunks each, with
 * metadata to filter by, and questions in the words of passages that were held out.
 *
 *   node bench/scale/corpus.mjs FOLDER [--chunks N] [--passages N] [--questions N] [--data FOLDER] [--text FOLDER]...
 *
 * --chunks (1,000,000) as the product's own chunker counts them; --passages (6) of 40 to 120 words make a document, about ten chunks;
 * --data names a folder of judged collections in the form of BEIR; --text more folders, before all others if `--only`.
 * The same files give the same corpus. Written are documents.jsonl, questions.json and corpus.json in FOLDER.
 */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createChunker, resolveChunkOptions } from '../../dist/chunking/index.js';
import { readJsonlBlock } from '../../dist/documents/index.js';
import { addon } from '../../dist/native/addon.js';
import { loadBpe } from '../../dist/tokens/index.js';
import { rssAnonBytes } from '../lib/memory.mjs';
import { figure } from '../lib/table.mjs';
import { metadataAt } from './metadata.mjs';
import { drawAt, passagesOf, SeenPassages } from './passages.mjs';
import { questionOf, spreadQuestions } from './questions.mjs';
import { textFolders, textsUnder } from './text-files.mjs';

/** About 90 words of prose; a program's text has more tokens a word. */
const CHUNKING = { limitTokens: 144 };
/** Candidates for each question that is wanted. */
const HELD_OUT = 3;
const SAY_EVERY_CHUNKS = 100_000;

/** Documents of one collection, one at a time; ends where its text does. */
function* documentsOf({ name, folder }, perDocument, seen) {
  let passages = [];
  for (const { file, text } of textsUnder(folder)) {
    for (const passage of passagesOf(text)) {
      if (!seen.add(passage)) continue;
      passages.push(passage);
      if (passages.length < perDocument) continue;
      yield { collection: name, file, passages };
      passages = [];
    }
  }
}

/** By turns, so that a small corpus holds something of everything. */
function* byTurns(generators) {
  let left = generators;
  while (left.length > 0) {
    const going = [];
    for (const generator of left) {
      const { done, value } = generator.next();
      if (done) continue;
      yield value;
      going.push(generator);
    }
    left = going;
  }
}

/** Cuts and analyses each line the way that indexing will: what is counted is what will be there. */
class Census {
  chunks = 0;
  documents = 0;
  textBytes = 0;
  terms = new Set();
  #chunker = createChunker(
    resolveChunkOptions(CHUNKING, {
      tokenizer: loadBpe('cl100k'),
      windowTokens: 512,
      specialTokens: 0,
      prefixTokens: 0,
    }),
  );

  add(line) {
    const { documents, skipped } = readJsonlBlock(Buffer.from(line), { source: 'corpus', firstLine: 1 });
    for (const { error } of skipped) throw new Error(error.message);
    for (const document of documents) {
      this.chunks += this.#chunker.chunk(document).start.length;
      this.documents++;
      this.textBytes += Buffer.byteLength(document.text);
      for (const term of addon().analyze(document.text)) this.terms.add(term);
    }
  }
}

export async function makeCorpus(folder, { chunks, perDocument, questionCount, folders }) {
  mkdirSync(folder, { recursive: true });
  const census = new Census();
  const candidates = [];
  const seen = new SeenPassages();
  const file = createWriteStream(path.join(folder, 'documents.jsonl'));
  const holdOut = Math.max(2, Math.floor(chunks / (questionCount * HELD_OUT)));
  const names = folders.map(({ name }) => name);
  let position = 0;
  let said = SAY_EVERY_CHUNKS;
  for (const { collection, file: origin, passages } of byTurns(
    folders.map((one) => documentsOf(one, perDocument, seen)),
  )) {
    if (census.chunks >= chunks) break;
    const kept = passages.filter((passage) => {
      if (drawAt(++position, 'held out', holdOut) > 0) return true;
      const text = questionOf(passage, position);
      if (text !== undefined)
        candidates.push({ text, collection, otherCollection: another(names, collection) });
      return false;
    });
    if (kept.length === 0) continue;
    const line = `${JSON.stringify({
      id: `document-${census.documents}`,
      title: path.basename(origin),
      text: kept.join('\n\n'),
      metadata: metadataAt(census.documents, collection, origin),
    })}\n`;
    census.add(line);
    if (!file.write(line)) await once(file, 'drain');
    if (census.chunks < said) continue;
    console.error(
      `${figure(census.chunks)} chunks, ${figure(census.terms.size)} terms, ${figure(rssAnonBytes() / 2 ** 20)} MiB`,
    );
    said += SAY_EVERY_CHUNKS;
  }
  file.end();
  await once(file, 'finish');
  const questions = spreadQuestions(candidates, questionCount);
  writeFileSync(path.join(folder, 'questions.json'), JSON.stringify(questions, null, 1));
  const summary = {
    chunks: census.chunks,
    wanted: chunks,
    documents: census.documents,
    textBytes: census.textBytes,
    terms: census.terms.size,
    questions: questions.length,
    chunking: CHUNKING,
    folders: names,
  };
  writeFileSync(path.join(folder, 'corpus.json'), JSON.stringify(summary, null, 1));
  return summary;
}

function another(names, collection) {
  return names[(names.indexOf(collection) + 1) % names.length];
}

export function corpusLine({ chunks, wanted, documents, textBytes, terms, questions, folders }) {
  const short = chunks < wanted ? `; ${figure(wanted)} were wanted: name more folders with --text` : '';
  return (
    `${figure(chunks)} chunks, ${figure(documents)} documents, ${figure(textBytes / 2 ** 20)} MiB of text, ` +
    `${figure(terms)} distinct terms, ${questions} questions, from ${folders.join(', ')}${short}`
  );
}

export const CORPUS_OPTIONS = {
  chunks: { type: 'string', default: '1000000' },
  passages: { type: 'string', default: '6' },
  questions: { type: 'string', default: '250' },
  data: { type: 'string' },
  text: { type: 'string', multiple: true, default: [] },
  only: { type: 'boolean', default: false },
};

/** From the command line's words to what `makeCorpus` takes. */
export function corpusSettings({ chunks, passages, questions, data, text, only }) {
  const given = text.map((folder) => ({
    name: path.basename(path.resolve(folder)),
    folder: path.resolve(folder),
  }));
  return {
    chunks: Number(chunks),
    perDocument: Number(passages),
    questionCount: Number(questions),
    folders: only ? given : textFolders(text, data),
  };
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: CORPUS_OPTIONS });
  if (positionals.length !== 1) {
    console.error(
      'usage: node bench/scale/corpus.mjs FOLDER [--chunks N] [--data FOLDER] [--text FOLDER]... [--only]',
    );
    process.exit(1);
  }
  console.log(corpusLine(await makeCorpus(path.resolve(positionals[0]), corpusSettings(values))));
}
