import type { IndexReport } from '../indexing/index.js';
import { bytes, count, counted, describeError, duration, percent, print } from './output.js';

const LISTED_SKIPS = 20;

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
  if (report.skipped === 0) return;
  print(`  skipped   ${count(report.skipped)}`);
  for (const { source, error } of report.skippedItems.slice(0, LISTED_SKIPS))
    print(`    ${source}: ${describeError(error)}`);
  if (report.skipped > LISTED_SKIPS)
    print(`    … and ${count(report.skipped - LISTED_SKIPS)} more; --json lists them`);
}
