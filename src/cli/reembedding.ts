import type { ReembedReport } from '../reembed-run.js';
import type { SluiceIndex } from '../sluice-index.js';
import { count, duration, type OutputOptions, print } from './output.js';
import { type ProgressView, reembedLine } from './progress.js';

/** Changes the model of an index, and says what was done unless JSON was asked for. */
export async function reembed(
  index: SluiceIndex,
  { model, json }: OutputOptions & { model?: string },
  signal: AbortSignal,
  view: ProgressView,
): Promise<ReembedReport> {
  const run = index.reembed({ model, signal });
  for await (const progress of run.progress(view.everyMs)) view.show(reembedLine(progress));
  view.end();
  const report = await run;
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
    print(`  pooled    ${count(report.pooledChunks)} chunks over the model's window, by windows`);
  if (report.truncatedChunks > 0)
    print(`  cut       ${count(report.truncatedChunks)} chunks, ${count(report.truncatedTokens)} tokens`);
  if (report.uncertainChunks > 0)
    print(
      `  uncertain ${count(report.uncertainChunks)} chunks whose text may differ from what the old model read`,
    );
}
