/**
 * The main job on real input: indexes the Markdown documents of the installed packages, asks three questions and
 * prints the answers with their sources and timings. `npm run demo` builds first.
 *
 *   node scripts/demo.mjs [folder to index]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hitTitle, openIndex } from '../dist/index.js';

const QUESTIONS = [
  'How can I cancel a task that is already running in a worker?',
  'Which option limits how many worker threads a pool may start?',
  'How do I declare a required option for a command?',
];

const root = process.argv[2] ?? fileURLToPath(new URL('../node_modules', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
const index = await openIndex(folder);
try {
  console.log(`Indexing the Markdown files under ${root}\n`);
  const run = index.add(root, { include: ['**/*.md', '**/*.markdown', '**/README'] });
  for await (const { phase, filesDone, chunks, chunksPerSecond } of run.progress(3_000)) {
    console.log(`  ${phase}: ${filesDone} files, ${chunks} chunks, ${chunksPerSecond.toFixed(0)} chunks/s`);
  }
  printReport(await run);
  for (const question of QUESTIONS) printAnswer(await index.search(question, { k: 3 }));
} finally {
  await index.close();
  await rm(folder, { recursive: true, force: true });
}

function printReport(report) {
  const seconds = (report.elapsedMs / 1_000).toFixed(1);
  console.log(`
${report.filesSeen} files seen: ${report.filesDone} indexed, ${report.filesFailed} failed; ${report.chunks} chunks, ${report.tokens} tokens in ${seconds} s`);
  console.log(
    `event-loop delay p99 ${report.eventLoop.p99Ms.toFixed(1)} ms (${report.eventLoop.resolutionMs} ms resolution subtracted)`,
  );
  for (const { source, error } of report.skippedItems)
    console.log(`  skipped ${source}: ${error.message} [${error.code}]`);
  console.log(`peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB\n`);
}

function printAnswer({ query, hits, reranked, timings }) {
  console.log(`Q: ${query}`);
  for (const hit of hits) {
    console.log(`  ${hit.rank}. ${hitTitle(hit)}`);
    console.log(`     ${hit.source}:${hit.startLine}-${hit.endLine}`);
    console.log(`     ${hit.text.trim().replace(/\s+/g, ' ').slice(0, 220)}`);
  }
  const stages = timings.stages.map(({ stage, ms }) => `${stage} ${ms.toFixed(1)}`).join(', ');
  console.log(`  ${timings.totalMs.toFixed(0)} ms${reranked ? ', reranked' : ''}: ${stages}\n`);
}
