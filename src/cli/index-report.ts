import type { IndexReport } from '../indexing/index.js';
import { bytes, count, counted, describeError, duration, percent, print } from './output.js';

const LISTED_SKIPS = 20;
const LISTED_MISSING = 3;

/** What a run did, for people. */
export function printReport(report: IndexReport, folder: string): void {
  print(`${report.interrupted ? 'Interrupted' : 'Indexed'} into ${folder} in ${duration(report.elapsedMs)}`);
  print(
    `  files     ${count(report.filesSeen)} seen: ${count(report.filesDone)} read, ${count(report.filesUnchanged)} unchanged, ` +
      `${count(report.filesFailed)} failed; ${count(report.filesIgnored)} of other formats, ${count(report.filesRemoved)} removed`,
  );
  print(
    `  documents ${count(report.documents)} added, ${count(report.documentsUnchanged)} unchanged, ${count(report.documentsRemoved)} removed`,
  );
  print(
    `  chunks    ${count(report.chunks)}${report.filesDone > 0 ? ` (${bytes(report.bytesDone)} read)` : ''}, ${count(report.chunksReused)} with vectors that were known; ${report.chunksPerSecond.toFixed(0)} chunks/s, ${count(report.tokensPerSecond)} tokens/s`,
  );
  const { embed, tokenize, store, read, chunk } = report.stageShares;
  print(
    `  time      embed ${percent(embed)}, tokenize ${percent(tokenize)}, read ${percent(read)}, chunk ${percent(chunk)}, store ${percent(store)}`,
  );
  if (report.pooledChunks > 0)
    print(`  pooled    ${counted(report.pooledChunks, 'chunk')} over the model's window, by windows`);
  if (report.eventLoop) {
    const { p99Ms, resolutionMs } = report.eventLoop;
    print(
      `  loop      event-loop delay p99 ${p99Ms.toFixed(1)} ms (its resolution of ${resolutionMs} ms subtracted)`,
    );
  }
  printContexts(report);
  if (report.skipped === 0) return;
  print(`  skipped   ${count(report.skipped)}`);
  for (const { source, error } of report.skippedItems.slice(0, LISTED_SKIPS))
    print(`    ${source}: ${describeError(error)}`);
  if (report.skipped > LISTED_SKIPS)
    print(`    … and ${count(report.skipped - LISTED_SKIPS)} more; --json lists them`);
}

function printContexts({ contexts, incompleteItems }: IndexReport): void {
  const { made, cached, extracted, missing, tokensIn, tokensOut } = contexts;
  if (made + cached + extracted + missing === 0) return;
  if (extracted > 0) print(`  context   ${count(extracted)} chunks with a sentence of their document`);
  else
    print(
      `  context   ${count(made)} lines made (${count(tokensIn)} tokens in, ${count(tokensOut)} out), ${count(cached)} from the cache`,
    );
  if (missing === 0) return;
  print(`    ${counted(missing, 'chunk')} without, which the next run asks for again`);
  for (const { source, error } of incompleteItems.slice(0, LISTED_MISSING))
    print(`    ${source}: ${describeError(error)}`);
}
