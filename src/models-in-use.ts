import { isAbsolute, resolve } from 'node:path';
import { checkReference, makeReference, openEmbedder } from './embedding/index.js';
import { SluiceError } from './errors.js';
import type { PrepareSetup } from './indexing/index.js';
import { InferenceEngine } from './inference/engine.js';
import {
  DEFAULT_EMBEDDING_MODEL,
  DEFAULT_RERANKER_MODEL,
  readModelFolder,
  requireModelFolder,
} from './inference/model-folder.js';
import type { ModelSpec } from './inference/model-spec.js';
import type { ChunkOptions } from './model/chunker.js';
import type { Embedder } from './model/embedder.js';
import type { Passport } from './model/passport.js';
import type { Reranker } from './model/reranker.js';
import { callerModules, type OpenIndexOptions } from './open-options.js';
import { openReranker } from './reranking/index.js';
import { comparePassports } from './store/index.js';

/**
 * The models of one open index, each loaded on first use and once: queries always go to the model that the index was
 * made with, whatever else the process has open.
 */
export class ModelsInUse {
  readonly #options: OpenIndexOptions;
  readonly #passport: Passport | undefined;
  #engine: InferenceEngine | undefined;
  #embedder: Promise<Embedder> | undefined;
  #reranker: Promise<Reranker> | undefined;
  #rerankerSpec: Promise<ModelSpec> | undefined;

  /** @param passport of the index, or undefined where it is still to be made */
  constructor(options: OpenIndexOptions, passport: Passport | undefined) {
    this.#options = options;
    this.#passport = passport;
  }

  /** Name or folder of the model; null for an embedder that the caller made. */
  get model(): string | null {
    const { model } = this.#options;
    if (typeof model === 'string') return model;
    if (model !== undefined) return null;
    const recorded = this.#passport?.settings?.model;
    return recorded === undefined ? DEFAULT_EMBEDDING_MODEL : recorded;
  }

  /** The same as a passport records it: a folder absolute, so that the index opens from anywhere. */
  get recordedModel(): string | null {
    const { model } = this;
    return model === null || isAbsolute(model) || !model.includes('/') ? model : resolve(model);
  }

  /**
   * @throws SLUICE_PASSPORT_MISMATCH if it is not the embedder that the index was made with, or makes other vectors
   */
  embedder(warm: 'query' | 'bulk' = 'query'): Promise<Embedder> {
    this.#embedder ??= this.#openEmbedder(warm);
    return this.#embedder;
  }

  /** The embedder as a search wants it: its model is loaded when a query is embedded, not before. */
  lazyEmbedder({ embedder: fingerprint }: Passport): Embedder {
    return {
      fingerprint,
      embed: async (texts, purpose, signal) => (await this.embedder()).embed(texts, purpose, signal),
      close: async () => {},
    };
  }

  /** @throws SLUICE_MODEL_INVALID where the reranker that the caller names is nowhere */
  async requireReranker(): Promise<void> {
    const { reranker } = this.#options;
    if (typeof reranker === 'string') await requireModelFolder(reranker, 'cross-encoder');
  }

  /**
   * The reranker likewise: a query that is not reranked never loads it. Undefined where the caller wants none. One that
   * cannot be read fails when it is asked for scores: a query does without it unless it insists.
   */
  async lazyReranker(): Promise<Reranker | undefined> {
    const given = this.#options.reranker ?? DEFAULT_RERANKER_MODEL;
    if (typeof given !== 'string') return given || undefined;
    this.#rerankerSpec ??= readModelFolder(given, 'cross-encoder');
    let spec: ModelSpec;
    try {
      spec = await this.#rerankerSpec;
    } catch (error) {
      this.#rerankerSpec = undefined;
      return unreadableReranker(given, error);
    }
    const { name, modelSha256, windowTokens } = spec;
    return {
      fingerprint: { kind: 'onnx', name, model: modelSha256, windowTokens },
      score: async (query, passages, signal) =>
        (await this.#loadedReranker(given)).score(query, passages, signal),
      close: async () => {},
    };
  }

  /** Starts loading the reranker, where its model is given by name. */
  warmReranker(): void {
    const given = this.#options.reranker ?? DEFAULT_RERANKER_MODEL;
    if (typeof given === 'string') this.#loadedReranker(given).catch(() => {});
  }

  /** What the prepare workers need to read documents and to cut them. */
  async prepareSetup(chunking: ChunkOptions): Promise<PrepareSetup> {
    const { encoding } = this.#options;
    const { context = this.#passport?.settings?.context } = this.#options;
    return {
      ...(await this.#cuttingSetup(chunking)),
      ...(encoding !== undefined && { encoding }),
      ...(context !== undefined && { context }),
    };
  }

  /** What they need to count in the tokens of the embedder that the chunks are made to fit. */
  async #cuttingSetup(chunking: ChunkOptions): Promise<PrepareSetup> {
    const cutFor = this.#passport?.settings?.cutFor;
    const model = cutFor === undefined ? this.model : cutFor.model;
    if (model !== null) {
      const spec = await readModelFolder(model, 'embedding');
      const { windowTokens, tokenizerPath, prefixes } = spec;
      return {
        tokenizer: { kind: 'model', path: tokenizerPath },
        windowTokens,
        passagePrefix: prefixes.passage,
        chunking,
        ...(chunking.strategy === 'semantic' && { sentences: spec }),
        ...callerModules(this.#options),
      };
    }
    // Nothing is known of a foreign embedder's tokenizer: cl100k is a fair count for most of them.
    const { windowTokens, passagePrefix } = cutFor ?? (await this.embedder()).fingerprint;
    return {
      tokenizer: { kind: 'bpe', name: 'cl100k' },
      windowTokens,
      passagePrefix,
      chunking,
      ...callerModules(this.#options),
    };
  }

  reference(): Promise<Passport['reference']> {
    return this.embedder('bulk')
      .then((embedder) => makeReference(embedder))
      .catch((error: unknown) => {
        if (SluiceError.is(error)) throw error;
        throw new SluiceError(
          'SLUICE_MODEL_FAILED',
          `the embedder failed: ${(error as Error)?.message ?? error}`,
          {
            hint: 'a new index asks it for the vectors of a few fixed texts, to recognise it later',
            cause: error,
          },
        );
      });
  }

  async close(): Promise<void> {
    const [embedder, reranker] = await Promise.allSettled([this.#embedder, this.#reranker]);
    // What the caller made stays the caller's to close.
    if (embedder.status === 'fulfilled' && embedder.value !== this.#options.model)
      await embedder.value?.close();
    if (reranker.status === 'fulfilled') await reranker.value?.close();
    await this.#engine?.close();
  }

  async #openEmbedder(warm: 'query' | 'bulk'): Promise<Embedder> {
    const given = this.#options.model;
    const embedder = typeof given === 'object' ? given : await this.#localEmbedder(warm);
    const passport = this.#passport;
    if (passport === undefined) return embedder;
    comparePassports(passport, { ...passport, embedder: embedder.fingerprint });
    if (passport.reference) await checkReference(passport.reference, embedder);
    return embedder;
  }

  #localEmbedder(warm: 'query' | 'bulk'): Promise<Embedder> {
    if (this.model === null) {
      throw new SluiceError('SLUICE_USAGE', 'the index was made with an embedder of the caller', {
        hint: 'give it again: openIndex(folder, { model: embedder }); the command can search it with --no-vectors, or change its model by index --reembed --model',
      });
    }
    return openEmbedder({ model: this.model, warm, ...this.#engineOption() });
  }

  #loadedReranker(model: string): Promise<Reranker> {
    this.#reranker ??= openReranker({ model, ...this.#engineOption() });
    return this.#reranker;
  }

  /** An engine of its own only where threads are set; else the process shares one, and sessions with it. */
  #engineOption(): { engine?: InferenceEngine } {
    const { threads } = this.#options;
    if (threads === undefined) return {};
    this.#engine ??= new InferenceEngine({ workers: threads });
    return { engine: this.#engine };
  }
}

function unreadableReranker(name: string, error: unknown): Reranker {
  return {
    fingerprint: { kind: 'onnx', name, model: '', windowTokens: 0 },
    score: () => Promise.reject(error),
    close: async () => {},
  };
}
