import { SluiceError } from './errors.js';
import type { IndexingRun, IndexProgress, IndexReport } from './indexing/index.js';
import { ProgressRun } from './progress-run.js';

/** A running `add`: await it for the report, or iterate over its progress. */
export class AddRun extends ProgressRun<IndexProgress, IndexReport> {
  constructor(run: Promise<IndexingRun>) {
    super(run, refuseInterrupted);
  }
}

function refuseInterrupted(report: IndexReport): IndexReport {
  if (!report.interrupted) return report;
  throw new SluiceError(
    'SLUICE_ABORTED',
    'indexing was aborted; what was embedded until then is in the index',
    {
      hint: 'run it again to go on',
      details: { report },
    },
  );
}
