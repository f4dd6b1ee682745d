/** The text that lies about on a developer's machine: documentation, sources, judged collections. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decode, makeDocument } from '../../dist/documents/index.js';

/** Larger files are generated tables or bundles. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const FORMATS = new Map([
  ...['md', 'markdown'].map((ending) => [ending, 'markdown']),
  ...['html', 'htm', 'xhtml'].map((ending) => [ending, 'html']),
  ...['txt', 'rst', 'text', 'adoc', 'org', 'tex', 'pod', 'xml'].map((ending) => [ending, 'text']),
  ...[
    'rs',
    'py',
    'js',
    'mjs',
    'cjs',
    'ts',
    'mts',
    'c',
    'h',
    'cc',
    'cpp',
    'hpp',
    'go',
    'java',
    'pl',
    'pm',
    'sh',
  ].map((ending) => [ending, 'text']),
]);

/**
 * Folders by the name of the collection that they make up; those that this machine lacks are left out.
 * @param {string[]} extra more folders, each a collection
 * @param {string | undefined} data a folder of judged collections in the form of BEIR
 */
export function textFolders(extra, data) {
  const sysroot = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).stdout?.trim();
  const standard = [
    ['packages', path.join(import.meta.dirname, '../../node_modules')],
    ['rust-docs', sysroot && path.join(sysroot, 'share/doc')],
    ['rust-library', sysroot && path.join(sysroot, 'lib/rustlib/src')],
    ['crates', path.join(process.env.CARGO_HOME ?? path.join(os.homedir(), '.cargo'), 'registry/src')],
    ...pythonFolders().map((folder) => [path.basename(folder), folder]),
    ['system-docs', '/usr/share/doc'],
    ['perl', '/usr/share/perl'],
    ['headers', '/usr/include'],
    ['judged', data],
  ];
  const given = extra.map((folder) => [path.basename(path.resolve(folder)), path.resolve(folder)]);
  return [...standard, ...given]
    .filter(([, folder]) => folder && existsSync(folder))
    .map(([name, folder]) => ({ name, folder }));
}

function pythonFolders() {
  return readdirSync('/usr/lib', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^python3(\.\d+)?$/.test(entry.name))
    .map((entry) => path.join('/usr/lib', entry.name));
}

/** Texts of a folder in the order of their paths, each with the first folders of its path. Nothing is held. */
export function* textsUnder(folder) {
  for (const file of filesUnder(folder)) {
    const name = path.relative(folder, file);
    for (const text of textsOf(file)) yield { file: name, text };
  }
}

function* filesUnder(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== '.git') yield* filesUnder(full);
    else if (entry.isFile()) yield full;
  }
}

/** @returns {string[]} none for a file that is no text */
function textsOf(file) {
  const plain = file.replace(/\.gz$/, '');
  if (/\.jsonl$/.test(plain)) return /corpus\.jsonl$/.test(plain) ? recordTexts(file) : [];
  const format = FORMATS.get(path.extname(plain).slice(1).toLowerCase());
  if (format === undefined || statSync(file).size > MAX_FILE_BYTES) return [];
  try {
    const { text } = decode(bytesOf(file), { source: file, markup: format === 'html' });
    return [makeDocument({ id: plain, text, format }).text];
  } catch {
    return [];
  }
}

function recordTexts(file) {
  const lines = bytesOf(file).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line).text ?? '');
}

function bytesOf(file) {
  const bytes = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}
