/** A BEIR queries file: one JSON object a line with `_id` and `text`, gzipped or not. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** @returns {string[]} the texts, in the order of the file */
export function readQueries(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const { text: query } = JSON.parse(line);
    if (typeof query !== 'string') throw new Error(`${file}:${index + 1}: no "text"`);
    return [query];
  });
}
