/**
 * Sluice against the libraries that one would use instead.
 *
 *   node bench/peers/run.mjs [--case NAME]... [--rounds N] [--size N] [--smoke] [--json]
 *
 * NAME may be what several begin with: `--case chunking` runs all of them.
 * Every trial is a process of its own and engines take turns. --smoke runs everything tiny and once: it proves that
 * the benches still work, and its numbers mean nothing. See ../README.md for how to read the rest.
 */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { machine, machineLine } from '../lib/machine.mjs';
import { disagreements, interleave, summarise } from '../lib/rounds.mjs';
import { caseReport } from './case-report.mjs';
import { CASES } from './cases.mjs';
import { peersArePinned, peerVersion } from './peer-modules.mjs';

const { values: options } = parseArgs({
  options: {
    case: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    size: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

function fail(message) {
  console.error(message);
  process.exit(1);
}

function positive(name, text, fallback) {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) fail(`--${name} takes a whole number from 1, not '${text}'`);
  return value;
}

function selectCases(names) {
  if (names === undefined) return CASES;
  return names.flatMap((name) => {
    const meant = CASES.filter((each) => each.name === name || each.name.startsWith(`${name}-`));
    return meant.length > 0
      ? meant
      : fail(`there is no case '${name}': ${CASES.map((each) => each.name).join(', ')}`);
  });
}

/** Runs a job of trial.mjs in a fresh process; what the process prints goes to standard error. */
function inProcess(job) {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(import.meta.dirname, 'trial.mjs'), { stdio: ['ignore', 2, 2, 'ipc'] });
    let reply;
    child.once('message', (message) => {
      reply = message;
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const name = `${job.case} ${job.engine ?? job.kind}`;
      if (reply?.error) reject(new Error(`${name}: ${reply.error}`));
      else if (reply === undefined || code !== 0) reject(new Error(`${name}: ended with ${signal ?? code}`));
      else resolve(reply.result);
    });
    child.send(job);
  });
}

/** All rounds of one case on one corpus. */
async function runCase(selected, { size, rounds, note }) {
  const { name, engines, mustAgree } = selected;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sluice-bench-'));
  try {
    note(`${name}: making the corpus (${size} ${selected.sizeOf})`);
    await inProcess({ kind: 'corpus', case: name, folder, size });
    const trials = [];
    for (const { round, engine } of interleave(Object.keys(engines), rounds)) {
      note(`${name}: round ${round + 1} of ${rounds}, ${engine}`);
      const result = await inProcess({ kind: 'engine', case: name, folder, engine });
      trials.push({ engine, round, ...result });
    }
    const between = await inProcess({ kind: 'compare', case: name, folder });
    return {
      name,
      size,
      rounds,
      trials,
      between,
      disagreements: disagreements(trials, mustAgree),
      ...summarise(trials, Object.keys(engines)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (!existsSync(path.join(import.meta.dirname, '../../dist/native/addon.js'))) {
  fail('dist/ is missing: run "npm run build" first');
}
const selectedCases = selectCases(options.case);
const rounds = options.smoke ? 1 : positive('rounds', options.rounds, 5);
const givenSize = positive('size', options.size, undefined);
const note = (line) => console.error(line);
const versions = Object.fromEntries(
  [
    '@chonkiejs/core',
    '@langchain/textsplitters',
    'hnswlib-node',
    'js-tiktoken',
    'llm-splitter',
    'onnxruntime-node',
    'usearch',
  ].map((name) => [name, peerVersion(name) ?? 'missing']),
);
const about = machine();
if (!options.json) {
  console.log(machineLine(about));
  console.log(
    `peers: ${Object.entries(versions)
      .map((pair) => pair.join(' '))
      .join(', ')}`,
  );
  if (!peersArePinned) {
    console.log(
      'peers are the root\'s development dependencies; "npm ci" in bench/peers installs the pinned ones',
    );
  }
  if (options.smoke) console.log('smoke run: tiny sizes, one round, the numbers mean nothing');
}

const results = [];
for (const selected of selectedCases) {
  const size = options.smoke ? selected.smokeSize : (givenSize ?? selected.size);
  const result = await runCase(selected, { size, rounds, note });
  results.push(result);
  if (!options.json) console.log(`\n${caseReport(selected, result)}`);
}
if (options.json)
  console.log(JSON.stringify({ machine: about, versions, smoke: options.smoke, cases: results }, null, 2));
if (results.some((result) => result.disagreements.length > 0)) process.exitCode = 1;
