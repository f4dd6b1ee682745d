/**
 * Real text that every checkout has: the Markdown files of the installed packages, in the order of their paths. It
 * changes only with the lockfile, and nothing needs to be downloaded or committed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const PACKAGES = path.join(import.meta.dirname, '../../node_modules');

/** Paths of the files relative to the folder. */
export function markdownNames(folder = PACKAGES) {
  return readdirSync(folder, { recursive: true })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => /\.md$/i.test(name))
    .sort();
}

/** Whole files until `maxBytes` of UTF-8 are reached; the last one is cut at a line. */
export function markdownFiles(maxBytes, folder = PACKAGES) {
  const texts = [];
  let left = maxBytes;
  for (const name of markdownNames(folder)) {
    if (left <= 0) break;
    const bytes = readFileSync(path.join(folder, name));
    const text = (bytes.length <= left ? bytes : wholeLines(bytes, left)).toString('utf8');
    left -= bytes.length;
    if (text !== '') texts.push(text);
  }
  return texts;
}

function wholeLines(bytes, limit) {
  return bytes.subarray(0, bytes.lastIndexOf('\n', limit - 1) + 1);
}

/** Paragraphs of 200 to 1,000 characters, about what a chunk is, repeated ones once. */
export function paragraphs(texts, count) {
  const seen = new Set();
  for (const text of texts) {
    for (const part of text.split(/\n\s*\n/)) {
      const paragraph = part.trim();
      if (paragraph.length >= 200 && paragraph.length <= 1000) seen.add(paragraph);
      if (seen.size === count) return [...seen];
    }
  }
  return [...seen];
}
