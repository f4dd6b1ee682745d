/**
 * What running again costs: a folder of small files is indexed, then nothing changes, then one thing does.
 *
 *   node bench/incremental.mjs [--files 10000] [--model all-MiniLM-L6-v2] [--json]
 *
 * Without --model the embedder is a function that costs nothing, so that what is measured is all the rest.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { callerEmbedder, openIndex } from '../dist/index.js';
import { addon } from '../dist/native/addon.js';
import { machine, machineLine } from './lib/machine.mjs';
import { watchSyncPieces } from './lib/sync-pieces.mjs';
import { figure, markdownTable } from './lib/table.mjs';

const FILES_PER_FOLDER = 100;
const DIMS = 384;
const CLOCK = addon().threadCpuMs() === null ? undefined : () => addon().threadCpuMs();

// The first formatted number loads locale data for several milliseconds: not in a measured piece.
figure(1234.5);

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    model: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

function freeEmbedder() {
  const vectors = Array.from({ length: 97 }, (_, i) =>
    Float32Array.from({ length: DIMS }, (_, d) => Math.sin(i + d)),
  );
  let next = 0;
  const embed = (texts) => texts.map(() => vectors[next++ % vectors.length]);
  return callerEmbedder({ model: 'sines', dims: DIMS, windowTokens: 256, embed });
}

const paragraph = (seed) =>
  Array.from({ length: 60 }, (_, n) => `word${(seed * 31 + n * 17) % 5000}`).join(' ');
const SECTIONS = 3;
const textOf = (i) =>
  `# File ${i}\n\n${Array.from({ length: SECTIONS }, (_, s) => `## Part ${s}\n\n${paragraph(i * SECTIONS + s)}\n`).join('\n')}`;

function writeCorpus(folder, count) {
  const names = Array.from({ length: count }, (_, i) =>
    path.join(folder, `f${Math.floor(i / FILES_PER_FOLDER)}`, `file-${i}.md`),
  );
  names.forEach((name, i) => {
    if (i % FILES_PER_FOLDER === 0) mkdirSync(path.dirname(name), { recursive: true });
    writeFileSync(name, textOf(i));
  });
  return names;
}

/** Milliseconds of what no way of finding changed files can do without. */
function walkAndStat(folder) {
  const from = performance.now();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isDirectory()) statSync(path.join(entry.parentPath, entry.name));
  }
  return performance.now() - from;
}

async function measure(what, index, folder) {
  const stop = watchSyncPieces({ keep: 1, ...(CLOCK && { clock: CLOCK }) });
  const cpu = process.cpuUsage();
  const from = performance.now();
  const report = await index.add(folder);
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  const [longest] = stop();
  const { filesDone, filesUnchanged, filesRemoved, documents, documentsUnchanged } = report;
  const { embedded, chunksReused, tokens, stageMs, generation } = report;
  return {
    what,
    ms,
    cpuMs: (user + system) / 1_000,
    filesDone,
    filesUnchanged,
    filesRemoved,
    documents,
    documentsUnchanged,
    embedded,
    chunksReused,
    tokens,
    generation,
    stageMs,
    longestPieceMs: longest?.ms ?? 0,
  };
}

const scratch = mkdtempSync(path.join(os.tmpdir(), 'sluice-incremental-'));
try {
  const folder = path.join(scratch, 'docs');
  const names = writeCorpus(folder, Number(options.files));
  const open = () =>
    openIndex(path.join(scratch, 'index'), { model: options.model ?? freeEmbedder(), reranker: false });
  const walkMs = walkAndStat(folder);
  let index = await open();
  const runs = [await measure('first run', index, folder)];
  runs.push(await measure('nothing changed', index, folder));
  await index.close();
  const opening = performance.now();
  index = await open();
  runs.push(await measure('nothing changed, index opened anew', index, folder));
  const openedMs = performance.now() - opening;
  writeFileSync(names[0], textOf(0).replace(paragraph(1), paragraph(999_983)));
  runs.push(await measure('one paragraph of one file edited', index, folder));
  renameSync(names[1], path.join(path.dirname(names[1]), 'moved.md'));
  runs.push(await measure('one file moved', index, folder));
  writeFileSync(path.join(path.dirname(names[2]), 'copy.md'), textOf(2));
  runs.push(await measure('one file copied', index, folder));
  rmSync(names[3]);
  runs.push(await measure('one file removed', index, folder));
  const later = new Date(Date.now() + 10_000);
  for (const name of names.slice(4)) utimesSync(name, later, later);
  runs.push(await measure('all files touched', index, folder));
  await index.close();
  const about = machine();
  if (options.json) console.log(JSON.stringify({ machine: about, walkMs, openedMs, runs }, null, 2));
  else {
    const columns = [
      ['ms', ({ ms }) => figure(ms)],
      ['CPU ms', ({ cpuMs }) => figure(cpuMs)],
      ['files read', ({ filesDone }) => figure(filesDone)],
      ['unchanged', ({ filesUnchanged }) => figure(filesUnchanged)],
      ['removed', ({ filesRemoved }) => figure(filesRemoved)],
      ['documents', ({ documents }) => figure(documents)],
      ['embedded', ({ embedded }) => figure(embedded)],
      ['reused', ({ chunksReused }) => figure(chunksReused)],
      ['longest piece, ms', ({ longestPieceMs }) => figure(longestPieceMs)],
    ];
    const table = markdownTable(
      ['run', ...columns.map(([name]) => `${name}:`)],
      runs.map((run) => [run.what, ...columns.map(([, cell]) => cell(run))]),
    );
    console.log(
      `${machineLine(about)}\n${options.files} files; a walk that does nothing but stat takes ${figure(walkMs)} ms\n\n${table}`,
    );
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
