import { type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';
import { type AddOptions, checkAddOptions } from './add-options.js';
import type { IndexReport } from './report.js';
import { WatchedRoots } from './watched-roots.js';

const DEFAULT_DEBOUNCE_MS = 300;

/** A run that `watch` made. One of the two is null. */
export interface WatchRun {
  report: IndexReport | null;
  /** Why the run as a whole failed; the next change tries again. */
  error: ErrorRecord | null;
}

export interface WatchOptions<Run = unknown> extends Omit<AddOptions, 'onFolder'> {
  /** Milliseconds without a change before a run begins; a stream of changes is waited for ten times as long. Default 300. */
  debounceMs?: number;
  /** Told of each run when it begins, to follow its progress. */
  onRun?: (run: Run) => void;
  /** Told once if the system cannot watch all folders: from then on, all of them are looked at every ten seconds. */
  onBlind?: (error: Error) => void;
}

const OPTION_NAMES = [
  'include',
  'exclude',
  'hidden',
  'maxFileBytes',
  'signal',
  'debounceMs',
  'onRun',
  'onBlind',
];

type Add<Run> = (paths: string[], options: AddOptions) => Run;

/**
 * Adds the paths, then again after each change of what lies below them, until the signal fires. What a run costs does
 * not depend on how many changes made it necessary, and changes during a run make one more run.
 * @throws what the first run throws, so that a wrong path is no endless wait; later failures are yielded
 */
export async function* watchSources<Run extends PromiseLike<IndexReport>>(
  paths: readonly string[],
  options: WatchOptions<Run>,
  add: Add<Run>,
  closed: AbortSignal,
): AsyncGenerator<WatchRun, void, undefined> {
  checkNames(options);
  const { debounceMs = DEFAULT_DEBOUNCE_MS, onRun, onBlind, ...addOptions } = options;
  checkWatch(paths, debounceMs, addOptions);
  const signal = addOptions.signal ? AbortSignal.any([addOptions.signal, closed]) : closed;
  const watched = new WatchedRoots(paths, debounceMs, addOptions.hidden ?? false, onBlind);
  try {
    for (let isFirst = true; isFirst || (await watched.changed(signal)); isFirst = false) {
      const present = await watched.present();
      if (present.length === 0 && !isFirst) continue;
      const run = add(isFirst ? [...paths] : present, {
        ...addOptions,
        signal,
        onFolder: (path) => watched.folder(path),
      });
      onRun?.(run);
      const outcome = await outcomeOf(run, isFirst);
      watched.endRound(outcome.report?.interrupted === false);
      yield outcome;
    }
  } finally {
    watched.close();
  }
}

/** @throws SLUICE_USAGE */
function checkNames(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new SluiceError('SLUICE_USAGE', `the options of watch must be an object, not ${String(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.includes(name));
  if (unknown === undefined) return;
  throw new SluiceError('SLUICE_USAGE', `watch has no option "${unknown}"`, {
    hint: `it knows ${OPTION_NAMES.join(', ')}`,
  });
}

/** @throws SLUICE_USAGE */
function checkWatch(paths: unknown, debounceMs: unknown, options: AddOptions): void {
  checkAddOptions(options, 'watch');
  if (!Array.isArray(paths) || paths.length === 0 || !paths.every((path) => typeof path === 'string')) {
    throw new SluiceError('SLUICE_USAGE', 'watch wants paths of files or folders as strings');
  }
  if (typeof debounceMs !== 'number' || !(debounceMs >= 0 && debounceMs <= 3_600_000)) {
    throw new SluiceError('SLUICE_USAGE', 'watch: debounceMs must be a number of milliseconds');
  }
}

async function outcomeOf(run: PromiseLike<IndexReport>, isFirst: boolean): Promise<WatchRun> {
  try {
    return { report: await run, error: null };
  } catch (thrown) {
    const error = toErrorRecord(thrown);
    if (error.code === 'SLUICE_ABORTED' && error.details.report !== undefined) {
      return { report: error.details.report as IndexReport, error: null };
    }
    // An empty folder may be filled later.
    if (isFirst && error.code !== 'SLUICE_NO_DOCUMENTS') throw thrown;
    return { report: null, error };
  }
}
