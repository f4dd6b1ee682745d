/**
 * What indexing a real folder costs: throughput, where the time goes, memory, and how long the main thread is held.
 *
 *   node bench/index-pipeline.mjs [folder] [--index DIR] [--no-probe] [--stacks] [--json]
 *
 * Without a folder: the Markdown of the installed packages, copied to a temporary one. --index keeps the index there
 * (the folder must not exist yet). The probe for synchronous pieces costs throughput: measure speed with --no-probe.
 * --stacks adds where each long piece's resource was made, and costs more.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openIndex } from '../dist/index.js';
import { addon } from '../dist/native/addon.js';
import { machine, machineLine, peakRssMiB } from './lib/machine.mjs';
import { markdownNames, PACKAGES } from './lib/markdown-corpus.mjs';
import { watchMemory } from './lib/memory.mjs';
import { watchSyncPieces } from './lib/sync-pieces.mjs';
import { figure, markdownTable } from './lib/table.mjs';

/** The main thread's own CPU time: with all cores busy, wall clock would count waiting for one. */
const CPU_CLOCK = addon().threadCpuMs() !== null;
const CLOCK = CPU_CLOCK ? () => addon().threadCpuMs() : () => performance.now();

/** Finest that Node offers; what it reports includes it, so it is taken off again. */
const RESOLUTION_MS = 1;

// The first formatted number loads locale data for several milliseconds: not in a measured piece.
figure(1234.5);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: 'string' },
    'no-probe': { type: 'boolean', default: false },
    stacks: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** A copy of the Markdown files alone: a folder named node_modules is skipped, and most of it is no document. */
function installedMarkdown(target) {
  for (const name of markdownNames()) {
    const file = path.join(target, name);
    mkdirSync(path.dirname(file), { recursive: true });
    copyFileSync(path.join(PACKAGES, name), file);
  }
  return target;
}

/** From opening a new index to closing it; gives the report of the run and the longest pieces of both phases. */
async function runPipeline(folder, indexFolder) {
  const probe = () =>
    options['no-probe'] ? () => [] : watchSyncPieces({ stacks: options.stacks, clock: CLOCK });
  const stopOpening = probe();
  const index = await openIndex(indexFolder);
  const opening = stopOpening();
  const stopIndexing = probe();
  try {
    const run = index.add(folder);
    for await (const { chunks, chunksPerSecond } of run) {
      console.error(`${figure(chunks)} chunks, ${figure(chunksPerSecond)}/s`);
    }
    const report = await run;
    await index.close();
    return { report, longestPieces: { opening, indexing: stopIndexing() } };
  } finally {
    await index.close();
  }
}

async function measure(folder, indexFolder) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const stopMemory = watchMemory();
  delay.enable();
  const from = performance.now();
  const run = await runPipeline(folder, indexFolder);
  const seconds = (performance.now() - from) / 1000;
  delay.disable();
  return {
    seconds,
    ...run,
    peakRssMiB: peakRssMiB(),
    rssQuartersMiB: stopMemory(),
    loopDelayMs: { p99: delay.percentile(99) / 1e6 - RESOLUTION_MS, max: delay.max / 1e6 - RESOLUTION_MS },
  };
}

function summary({ seconds, report, peakRssMiB: peak, rssQuartersMiB, loopDelayMs, longestPieces }) {
  const { filesDone, filesFailed, filesIgnored, documents, chunks, tokens, bytesDone, stageShares } = report;
  const rows = [
    ['files done, failed, ignored', `${filesDone}, ${filesFailed}, ${filesIgnored}`],
    ['documents', figure(documents)],
    ['chunks', figure(chunks)],
    ['tokens', figure(tokens)],
    ['seconds, open to close', figure(seconds)],
    ['chunks/s', figure(chunks / seconds)],
    ['tokens/s', figure(tokens / seconds)],
    ['KiB/s of files', figure(bytesDone / 1024 / seconds)],
    ['thread time by stage', shares(stageShares)],
    ['peak RSS, MiB', figure(peak)],
    ['RSS after each quarter, MiB', rssQuartersMiB.map(figure).join(', ')],
    ['event-loop delay p99, max, ms', `${figure(loopDelayMs.p99)}, ${figure(loopDelayMs.max)}`],
  ];
  return [markdownTable(['what', 'value:'], rows), ...piecesReport(longestPieces)].join('\n');
}

function piecesReport(longestPieces) {
  const pieces = Object.entries(longestPieces).flatMap(([phase, list]) =>
    list.map((piece) => ({ phase, ...piece })),
  );
  if (pieces.length === 0) return [];
  const rows = pieces.map(({ phase, ms, type }) => [phase, figure(ms), type]);
  const stacks = pieces.flatMap(({ phase, ms, stack }) =>
    stack ? [`\n${phase}, ${figure(ms)} ms:\n${stack}`] : [],
  );
  return [
    `\nLongest synchronous pieces on the main thread (${CPU_CLOCK ? 'its CPU time' : 'wall clock: on busy cores, waiting for one is in it'}):\n`,
    markdownTable(['while', 'ms:', 'resource'], rows),
    ...stacks,
  ];
}

function shares(stageShares) {
  return Object.entries(stageShares)
    .map(([stage, share]) => `${stage} ${(share * 100).toFixed(1)}%`)
    .join(', ');
}

const scratch = mkdtempSync(path.join(os.tmpdir(), 'sluice-bench-'));
try {
  const folder = positionals[0] ?? installedMarkdown(path.join(scratch, 'documents'));
  if (options.index && existsSync(options.index))
    throw new Error(`${options.index} exists: name a new folder`);
  const result = await measure(path.resolve(folder), options.index ?? path.join(scratch, 'index'));
  const about = machine();
  if (options.json) console.log(JSON.stringify({ machine: about, folder, ...result }, null, 2));
  else console.log(`${machineLine(about)}\n${folder}\n\n${summary(result)}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
