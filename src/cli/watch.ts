import type { AddRun } from '../add-run.js';
import type { AddOptions, IndexReport, WatchRun } from '../indexing/index.js';
import type { SluiceIndex } from '../sluice-index.js';
import { EXIT } from './exit-codes.js';
import { printReport } from './index-report.js';
import { count, counted, describeError, duration, note, type OutputOptions, print } from './output.js';
import { indexLine, type ProgressView } from './progress.js';

/** Skipped items that a line of a run names. */
const NAMED_SKIPS = 3;

/**
 * `index --watch`: the first run as usual, then a line for each run, until the signal fires. With --json every run is one
 * line with its report, or with its error.
 */
export async function watchPaths(
  index: SluiceIndex,
  paths: string[],
  how: AddOptions,
  view: ProgressView,
  options: OutputOptions & { index: string },
): Promise<void> {
  let isFirst = true;
  let shown = Promise.resolve();
  const runs = index.watch(paths, {
    ...how,
    onRun: (run) => {
      if (isFirst) shown = showProgress(run, view);
    },
    onBlind: (error) =>
      note(
        `sluice: not all folders can be watched, so all are looked at every ten seconds (${error.message})`,
      ),
  });
  for await (const run of runs) {
    await shown;
    view.end();
    if (run.report?.interrupted) process.exitCode = EXIT.interrupted;
    if (options.json) process.stdout.write(`${JSON.stringify(run.report ?? { error: run.error })}\n`);
    else if (isFirst && run.report) printReport(run.report, options.index);
    else printLine(run);
    if (isFirst && !how.signal?.aborted) note('watching; Ctrl-C stops');
    isFirst = false;
  }
}

/** A failure is told by the run itself. */
async function showProgress(run: AddRun, view: ProgressView): Promise<void> {
  try {
    for await (const progress of run.progress(view.everyMs)) view.show(indexLine(progress));
  } catch {
    view.end();
  }
}

function printLine({ report, error }: WatchRun): void {
  const time = new Date().toTimeString().slice(0, 8);
  if (error) note(`${time} ${describeError(error)}`);
  else print(`${time} ${lineOf(report!)}`);
}

function lineOf(report: IndexReport): string {
  const { documents, documentsRemoved, embedded, chunksReused, skipped, skippedItems } = report;
  const parts: string[] = [];
  if (documents > 0) {
    parts.push(
      `${counted(documents, 'document')} in (${counted(embedded, 'chunk')} embedded, ${count(chunksReused)} known)`,
    );
  }
  if (documentsRemoved > 0) parts.push(`${count(documentsRemoved)} out`);
  if (parts.length === 0) parts.push('nothing new');
  if (skipped > 0) {
    const named = skippedItems
      .slice(0, NAMED_SKIPS)
      .map((item) => `${item.source}: ${describeError(item.error)}`);
    parts.push(`${count(skipped)} skipped: ${named.join('; ')}${skipped > NAMED_SKIPS ? '; …' : ''}`);
  }
  return `${parts.join(', ')} in ${duration(report.elapsedMs)}`;
}
