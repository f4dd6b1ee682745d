import { SluiceError } from './errors.js';
import { embedAnew, noReembedCounts, type ReembedCounts } from './indexing/index.js';
import type { LiveIndex } from './live-index.js';
import type { Embedder } from './model/embedder.js';
import type { Passport } from './model/passport.js';
import { ModelsInUse } from './models-in-use.js';
import { isModel, type OpenIndexOptions } from './open-options.js';
import { ProgressRun, type RunningWork } from './progress-run.js';
import { embedderDifferences } from './store/index.js';

/** What `reembed` changes to. */
export interface ReembedOptions {
  /**
   * The new model: a name in the package, a folder with an ONNX export, or an Embedder of your own. Default: the
   * model that the index names, for the case that its files have changed.
   */
  model?: string | Embedder | undefined;
  /** Stops after what is under way; a later call with the same model goes on. */
  signal?: AbortSignal | undefined;
}

/** How far a re-embedding is. */
export interface ReembedProgress extends ReembedCounts {
  elapsedMs: number;
  /** Estimated milliseconds to the end; null while nothing is known. */
  etaMs: number | null;
}

/** What a re-embedding did. */
export interface ReembedReport extends ReembedCounts {
  /** False where the index has the vectors of this model already: then nothing was done. */
  changed: boolean;
  interrupted: boolean;
  elapsedMs: number;
  /** Name and dimensions of the model that the vectors are of now. */
  model: string;
  dims: number;
}

/** A running `reembed`: await it for the report, or iterate over its progress. */
export class ReembedRun extends ProgressRun<ReembedProgress, ReembedReport> {
  constructor(run: Promise<RunningWork<ReembedProgress, ReembedReport>>) {
    super(run, refuseInterrupted);
  }
}

const OPTION_NAMES = ['model', 'signal'];

/** @throws SLUICE_USAGE */
export function checkReembedOptions(options: unknown): asserts options is ReembedOptions {
  const given = options as Record<string, unknown> | null;
  if (typeof given !== 'object' || given === null) throw usage('the options of reembed must be an object');
  const unknown = Object.keys(given).find((name) => !OPTION_NAMES.includes(name));
  if (unknown !== undefined) throw usage(`reembed has no option "${unknown}"`);
  if (!isModel(given.model, 'embed')) throw usage('reembed: model must be a name, a folder or an Embedder');
}

/**
 * Embeds all chunks with another model and moves over. For use inside `exclusive`: nothing else is written meanwhile,
 * and searches go on with the old vectors.
 */
export function startReembedding(
  live: LiveIndex,
  { model, signal }: ReembedOptions,
): RunningWork<ReembedProgress, ReembedReport> {
  const counts = noReembedCounts();
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  const report = (async () => {
    const options = { ...live.options, ...(model !== undefined && { model }) };
    // Without a passport, so that the model is not held against the old vectors.
    const models = new ModelsInUse({ ...options, model: options.model ?? recordedModel(live) }, undefined);
    try {
      return { ...(await reembed(live, models, options.model, counts, live.stopSignal(signal))), ...counts };
    } finally {
      await models.close();
    }
  })().then((result): ReembedReport => ({ ...result, elapsedMs: elapsedMs() }));
  return { report, progress: () => progressOf(counts, elapsedMs()) };
}

type Outcome = Pick<ReembedReport, 'changed' | 'interrupted' | 'model' | 'dims'>;

async function reembed(
  live: LiveIndex,
  models: ModelsInUse,
  model: OpenIndexOptions['model'],
  counts: ReembedCounts,
  signal: AbortSignal,
): Promise<Outcome> {
  // The lock first: a model that is loaded for nothing costs seconds.
  const writer = await live.writer();
  const embedder = await models.embedder('bulk');
  const { name, dims } = embedder.fingerprint;
  const outcome = { model: name, dims, changed: false, interrupted: false };
  if (embedderDifferences(live.passport.embedder, embedder.fingerprint).length === 0) return outcome;
  const whole = await embedAnew({ writer, embedder }, counts, signal);
  if (!whole || signal.aborted) return { ...outcome, interrupted: true };
  await live.moveToVectors(await nextPassport(live.passport, models, embedder), model);
  await publishGraph(live);
  return { ...outcome, changed: true };
}

/** The chunks stay as they are, and so does how new documents are cut. */
async function nextPassport(old: Passport, models: ModelsInUse, embedder: Embedder): Promise<Passport> {
  const { windowTokens, passagePrefix } = old.embedder;
  const { settings } = old;
  const cutFor = settings?.cutFor ?? { model: settings?.model ?? null, windowTokens, passagePrefix };
  return {
    ...old,
    embedder: embedder.fingerprint,
    reference: await models.reference(),
    settings: { model: models.recordedModel, chunking: settings?.chunking ?? {}, cutFor },
  };
}

/** The graph came with the vectors; what is left is to drop the old ones, and whatever came in since. */
async function publishGraph(live: LiveIndex): Promise<void> {
  try {
    await (await live.writer()).publish();
  } catch (error) {
    // Another process has begun to write in between: it will build the graph.
    if (!SluiceError.is(error) || error.code !== 'SLUICE_INDEX_LOCKED') throw error;
  }
}

/** @throws SLUICE_USAGE for an index whose embedder is its caller's */
function recordedModel({ models }: LiveIndex): string {
  if (models.model !== null) return models.model;
  throw new SluiceError('SLUICE_USAGE', 'the index was made with an embedder of the caller', {
    hint: 'name the new one: reembed({ model })',
  });
}

function progressOf(counts: ReembedCounts, elapsedMs: number): ReembedProgress {
  const left = counts.chunks - counts.done;
  const etaMs = counts.embedded === 0 ? null : (elapsedMs / counts.embedded) * left;
  return { ...counts, elapsedMs, etaMs };
}

function refuseInterrupted(report: ReembedReport): ReembedReport {
  if (!report.interrupted) return report;
  throw new SluiceError(
    'SLUICE_ABORTED',
    'the re-embedding was aborted; the index has its old vectors still, and what was made of the new ones is kept',
    { hint: 'run it again with the same model to go on', details: { report } },
  );
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message, { hint: `it knows ${OPTION_NAMES.join(' and ')}` });
}
