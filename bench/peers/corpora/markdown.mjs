/** Whole Markdown files. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { markdownFiles } from '../../lib/markdown-corpus.mjs';

export async function make(folder, { size }) {
  await writeFile(path.join(folder, 'texts.json'), JSON.stringify(markdownFiles(size * 1024)));
}

export async function read(folder) {
  const texts = JSON.parse(await readFile(path.join(folder, 'texts.json'), 'utf8'));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { texts, kib: bytes / 1024, megabytes: bytes / 1e6 };
}
