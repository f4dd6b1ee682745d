/** Whole Markdown files. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { markdownFiles } from '../../lib/markdown-corpus.mjs';

export async function make(folder, { size }) {
  await writeFile(path.join(folder, 'texts.json'), JSON.stringify(markdownFiles(size * 1024)));
}

/** `settings.passes`: how often each text comes, so that a fast engine runs long enough to be measured. */
export async function read(folder, { passes = 1 } = {}) {
  const once = JSON.parse(await readFile(path.join(folder, 'texts.json'), 'utf8'));
  const texts = Array.from({ length: passes }, () => once).flat();
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { texts, kib: bytes / 1024, megabytes: bytes / 1e6 };
}
