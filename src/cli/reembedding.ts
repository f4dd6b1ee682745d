import type { ReembedReport } from '../reembed-run.js';
import type { SluiceIndex } from '../sluice-index.js';
import { withCommandHints } from './hints.js';
import { count, counted, duration, type OutputOptions, print } from './output.js';
import { type ProgressView, reembedLine } from './progress.js';

const HINTS = { SLUICE_USAGE: 'name the new one by --model' };

/** Changes the model of an index, and says what was done unless JSON was asked for. */
export async function reembed(
  index: SluiceIndex,
  { model, json }: OutputOptions & { model?: string },
  signal: AbortSignal,
  view: ProgressView,
): Promise<ReembedReport> {
  const report = await withCommandHints(HINTS, async () => {
    const run = index.reembed({ model, signal });
    for await (const progress of run.progress(view.everyMs)) view.show(reembedLine(progress));
    view.end();
    return run;
  });
  if (!json) printReport(report);
  return report;
}

function printReport(report: ReembedReport): void {
  const { model, dims } = report;
  if (!report.changed) {
    print(`The vectors are of ${model} already: nothing to re-embed.`);
    return;
  }
  const earlier = report.chunks - report.embedded;
  print(`Re-embedded with ${model} (${dims} dimensions) in ${duration(report.elapsedMs)}`);
  print(
    `  chunks    ${count(report.embedded)} embedded${earlier > 0 ? `, ${count(earlier)} by an earlier run` : ''}; ${count(report.tokens)} tokens`,
  );
  if (report.pooledChunks > 0)
    print(`  pooled    ${counted(report.pooledChunks, 'chunk')} over the model's window, by windows`);
  if (report.truncatedChunks > 0)
    print(
      `  cut       ${counted(report.truncatedChunks, 'chunk')}, ${counted(report.truncatedTokens, 'token')}`,
    );
  if (report.uncertainChunks > 0)
    print(
      `  uncertain ${counted(report.uncertainChunks, 'chunk')} whose text may differ from what the old model read`,
    );
}
