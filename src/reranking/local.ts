import type { InferenceEngine } from '../inference/engine.js';
import type { ScoreResult } from '../inference/jobs.js';
import { DEFAULT_RERANKER_MODEL, readModelFolder } from '../inference/model-folder.js';
import type { OpenModel } from '../inference/open-model.js';
import { openModel } from '../inference/shared-engine.js';
import type { Reranker } from '../model/reranker.js';
import type { TextColumn } from '../model/text-column.js';

export interface LocalRerankerOptions {
  /** Name of an embedded model, or a folder. Default: reranker-v0. */
  model?: string;
  /** The graph's file, relative to the folder, where there are several. */
  file?: string;
  /** Smaller windows than the model's. Default: the model's. */
  windowTokens?: number;
  /** Default: an engine that all embedders and rerankers of the process share while any of them is open. */
  engine?: InferenceEngine;
}

/** A reranker whose scores also say what was not read, and what they cost. */
export interface LocalReranker extends Reranker {
  score(query: string, passages: TextColumn, signal?: AbortSignal): Promise<ScoreResult>;
}

/**
 * Opens a cross-encoder in ONNX format, and proves that it loads. A passage that doesn't fit the window beside the
 * query is read by overlapping windows, at most eight (those with most of the query's words): its score is the best
 * of them. A query of more than half the window is cut to that half.
 * @throws SLUICE_MODEL_INVALID (also for a head that isn't one of relevance), SLUICE_MODEL_FAILED with the cause,
 *   SLUICE_NATIVE_UNAVAILABLE
 * @example
 * const reranker = await openReranker();
 * const { scores } = await reranker.score('when do points expire?', packTexts(passages));
 * await reranker.close();
 */
export async function openReranker(options: LocalRerankerOptions = {}): Promise<LocalReranker> {
  const { model = DEFAULT_RERANKER_MODEL, engine, ...folder } = options;
  const spec = await readModelFolder(model, 'cross-encoder', folder);
  const opened = await openModel(spec, engine);
  return new CrossEncoder(opened.model, opened.close);
}

class CrossEncoder implements LocalReranker {
  readonly fingerprint: Reranker['fingerprint'];

  constructor(
    private readonly model: OpenModel,
    readonly close: () => Promise<void>,
  ) {
    const { name, modelSha256, windowTokens } = model.spec;
    this.fingerprint = { kind: 'onnx', name, model: modelSha256, windowTokens };
  }

  score(query: string, passages: TextColumn, signal?: AbortSignal): Promise<ScoreResult> {
    return this.model.score(query, passages, signal);
  }
}
