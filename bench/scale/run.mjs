/**
 * The durable index at scale: what it costs to build, to keep, to open and to ask, with targets beside the figures.
 *
 *   node bench/scale/run.mjs [--chunks N] [--keep FOLDER] [--reuse FOLDER] [--corpus FOLDER] [--json]
 *        [--starts N] [--drop-caches] [--graph-threshold N]
 *        [--passages N] [--questions N] [--data FOLDER] [--text FOLDER]... [--only]
 *
 * --chunks (1,000,000) and the last line go to corpus.mjs; --corpus takes one that it made. --keep leaves corpus, index
 * and figures in a new folder, and --reuse asks only what can be asked of a built index there. --starts (5) processes
 * are started to find the warm time to the first answer. --drop-caches measures the cold one with an empty page cache of
 * the whole machine (as root) instead of one that has forgotten the index's files.
 *
 * Each part is a process of its own, so none finds another's heap, caches or threads.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from '../lib/machine.mjs';
import { CORPUS_OPTIONS } from './corpus.mjs';
import { dropPageCache } from './disk.mjs';
import { scaleReport } from './report.mjs';

const { values: options } = parseArgs({
  options: {
    ...CORPUS_OPTIONS,
    keep: { type: 'string' },
    reuse: { type: 'string' },
    corpus: { type: 'string' },
    'graph-threshold': { type: 'string' },
    starts: { type: 'string', default: '5' },
    'drop-caches': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const threshold = options['graph-threshold'] ? ['--graph-threshold', options['graph-threshold']] : [];

function measure(folder) {
  const corpus = path.resolve(options.corpus ?? path.join(folder, 'corpus'));
  const index = path.join(folder, 'index');
  const exact = path.join(folder, 'exact.json');
  const buildFile = path.join(folder, 'build.json');
  if (options.reuse === undefined) {
    if (options.corpus === undefined) child('corpus.mjs', corpus, ...corpusArguments());
    rmSync(exact, { force: true });
    say('building the index');
    writeFileSync(buildFile, child('build.mjs', corpus, index, ...threshold));
  }
  const startOnce = () => JSON.parse(child('first-answer.mjs', corpus, index));
  startOnce();
  const warm = Array.from({ length: Number(options.starts) }, startOnce);
  const dropped = dropPageCache(index, options['drop-caches']);
  const cold = dropped === undefined ? undefined : { dropped, ...startOnce() };
  if (!existsSync(exact)) {
    say('finding the exact answers');
    writeFileSync(exact, child('exact.mjs', corpus, index));
  }
  say('asking each leg');
  const legs = JSON.parse(child('legs.mjs', corpus, index, exact, ...threshold));
  say('asking hybrid searches');
  const serve = JSON.parse(child('serve.mjs', corpus, index, exact, ...threshold));
  return {
    machine: machine(),
    corpus: JSON.parse(readFileSync(path.join(corpus, 'corpus.json'), 'utf8')),
    build: JSON.parse(readFileSync(buildFile, 'utf8')),
    start: { warm, cold },
    legs,
    serve,
  };
}

/** @returns {string} what the script printed */
function child(script, ...args) {
  const { status, stdout, error } = spawnSync(
    process.execPath,
    ['--expose-gc', path.join(import.meta.dirname, script), ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 30 },
  );
  if (status !== 0) throw error ?? new Error(`${script} ended with status ${status}`);
  return stdout;
}

function corpusArguments() {
  return Object.keys(CORPUS_OPTIONS).flatMap((name) => {
    const value = options[name];
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().flatMap((one) => [`--${name}`, one]);
  });
}

function say(what) {
  console.error(`${new Date().toLocaleTimeString()} ${what}`);
}

/** With --reuse that folder; with --keep a new one; else one that is removed at the end. */
function workFolder() {
  if (options.reuse !== undefined) return path.resolve(options.reuse);
  if (options.keep === undefined) return mkdtempSync(path.join(os.tmpdir(), 'sluice-scale-'));
  const folder = path.resolve(options.keep);
  if (existsSync(path.join(folder, 'index')))
    throw new Error(`${folder} holds an index: name a new folder, or --reuse it`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const folder = workFolder();
try {
  const result = measure(folder);
  console.log(options.json ? JSON.stringify(result, null, 2) : scaleReport(result));
} finally {
  if (options.reuse === undefined && options.keep === undefined)
    rmSync(folder, { recursive: true, force: true });
}
