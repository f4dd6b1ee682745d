/** Documents, questions and the excerpts that answer them: corpus, queries and spans as JSON lines, gzipped. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

function readLines(file) {
  return gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** UTF-16 position of each code point, and of the end: the collection counts code points. */
function codePointPositions(text) {
  const positions = [];
  let at = 0;
  for (const character of text) {
    positions.push(at);
    at += character.length;
  }
  return [...positions, at];
}

/** @returns documents { id, title, text }, questions { text, excerpts: { document, start, end }[] } */
export function readCollection(folder) {
  const documents = readLines(path.join(folder, 'corpus.jsonl.gz')).map(({ _id: id, title, text }) => ({
    id,
    title,
    text,
  }));
  const positions = new Map(documents.map(({ id, text }) => [id, codePointPositions(text)]));
  const excerpts = groupBy(readLines(path.join(folder, 'spans.jsonl.gz')), (span) => span.query_id);
  const questions = readLines(path.join(folder, 'queries.jsonl.gz')).map(({ _id, text }) => ({
    text,
    excerpts: excerpts.get(_id).map(({ doc_id: document, start, end }) => ({
      document,
      start: positions.get(document)[start],
      end: positions.get(document)[end],
    })),
  }));
  return { documents, questions };
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}
