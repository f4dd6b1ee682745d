import type { InferenceEngine } from '../inference/engine.js';
import {
  DEFAULT_EMBEDDING_MODEL,
  type ModelFolderOptions,
  readModelFolder,
} from '../inference/model-folder.js';
import type { OpenModel } from '../inference/open-model.js';
import { openModel } from '../inference/shared-engine.js';
import type { Embedder, EmbedderFingerprint, EmbedResult } from '../model/embedder.js';
import type { TextColumn } from '../model/text-column.js';

export interface LocalEmbedderOptions extends ModelFolderOptions {
  /** Name of an embedded model, or a folder. Default: all-MiniLM-L6-v2. */
  model?: string;
  /** Default: an engine that all embedders and rerankers of the process share while any of them is open. */
  engine?: InferenceEngine;
  /** The lane whose first worker loads the model while opening: 'bulk' before indexing. Default: 'query'. */
  warm?: 'query' | 'bulk';
}

/**
 * Opens a sentence-embedding model in ONNX format, and proves that it loads.
 * @throws SLUICE_MODEL_INVALID, SLUICE_MODEL_FAILED with the cause, SLUICE_NATIVE_UNAVAILABLE
 * @example
 * const embedder = await openEmbedder();
 * const { matrix } = await embedder.embed(packTexts(['how long is the warranty?']), 'query');
 * await embedder.close();
 */
export async function openEmbedder(options: LocalEmbedderOptions = {}): Promise<Embedder> {
  const { model = DEFAULT_EMBEDDING_MODEL, engine, warm = 'query', ...folder } = options;
  const spec = await readModelFolder(model, 'embedding', folder);
  const opened = await openModel(spec, engine, warm);
  return new LocalEmbedder(opened.model, opened.close);
}

class LocalEmbedder implements Embedder {
  readonly fingerprint: EmbedderFingerprint;

  constructor(
    private readonly model: OpenModel,
    readonly close: () => Promise<void>,
  ) {
    this.fingerprint = fingerprintOf(model);
  }

  embed(texts: TextColumn, purpose: 'passage' | 'query', signal?: AbortSignal): Promise<EmbedResult> {
    return this.model.embed(texts, purpose, signal);
  }
}

function fingerprintOf({ spec, shape }: OpenModel): EmbedderFingerprint {
  return {
    kind: 'onnx',
    name: spec.name,
    model: spec.modelSha256,
    tokenizer: spec.tokenizerSha256,
    dims: shape.dims,
    windowTokens: spec.windowTokens,
    pooling: shape.pooling,
    normalized: spec.normalized,
    queryPrefix: spec.prefixes.query,
    passagePrefix: spec.prefixes.passage,
  };
}
