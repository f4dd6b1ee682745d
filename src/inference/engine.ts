import { BroadcastChannel } from 'node:worker_threads';
import { SluiceError } from '../errors.js';
import { addon } from '../native/addon.js';
import { openJob } from './jobs.js';
import { Lane } from './lane.js';
import type { ModelShape, ModelSpec } from './model-spec.js';
import { OpenModel } from './open-model.js';
import type { ModelRef, ReleaseMessage } from './protocol.js';
import type { ProviderChoice } from './providers.js';
import { onnxRuntime } from './runtime.js';
import { type Priority, processBudget, type ThreadBudget } from './thread-budget.js';

export interface EngineOptions {
  /** Most workers of each lane. Default: the cores of the budget. */
  workers?: number;
  /** Default: 'auto'. */
  provider?: ProviderChoice;
  /** Default: the one budget of the process, with the cores that it may use. */
  budget?: ThreadBudget;
}

export interface EngineStats {
  cores: number;
  coresInUse: number;
  peakCores: number;
  queryThreads: number;
  bulkThreads: number;
  models: number;
}

interface HeldModel {
  /** All that shapes its results: models that agree in it share a session. */
  identity: string;
  ref: ModelRef;
  shape: Promise<ModelShape>;
  holders: number;
}

let engines = 0;
let openings = 0;

/**
 * Runs models in worker threads: a lane for bulk work, one for queries, each with workers and sessions of its own, and
 * one budget of cores over both. Nothing starts before it is needed. Models are counted: the same bytes opened twice
 * are one session in each worker, released with the last holder.
 */
export class InferenceEngine {
  readonly #provider: ProviderChoice;
  readonly #budget: ThreadBudget;
  readonly #lanes: Record<Priority, Lane>;
  readonly #channel: BroadcastChannel;
  readonly #models = new Map<string, HeldModel>();
  #closing: Promise<void> | undefined;

  constructor(options: EngineOptions = {}) {
    this.#provider = options.provider ?? 'auto';
    this.#budget = options.budget ?? processBudget();
    const workers = Math.max(1, Math.min(options.workers ?? Number.POSITIVE_INFINITY, this.#budget.cores));
    const channel = `sluice-inference-${++engines}`;
    this.#channel = new BroadcastChannel(channel);
    this.#channel.unref();
    const lane = (priority: Priority) => new Lane({ priority, workers, budget: this.#budget, channel });
    this.#lanes = { query: lane('query'), bulk: lane('bulk') };
  }

  /**
   * Opens a model in one worker of a lane, which proves that it loads; other workers follow when they get work.
   * @param warm the lane that will be used first
   * @throws SLUICE_MODEL_FAILED with the cause, SLUICE_MODEL_INVALID, SLUICE_NATIVE_UNAVAILABLE
   */
  async open(spec: ModelSpec, warm: Priority = 'query'): Promise<OpenModel> {
    if (this.#closing) throw new SluiceError('SLUICE_ABORTED', 'the inference engine was closed');
    // Both once on this thread before any worker does it: first loads in several threads have crashed processes.
    onnxRuntime();
    addon();
    const model = this.#hold(spec, warm);
    try {
      return new OpenModel(model.ref, await model.shape, this.#lanes, () => this.#letGo(model));
    } catch (error) {
      this.#letGo(model);
      throw error;
    }
  }

  get stats(): EngineStats {
    return {
      cores: this.#budget.cores,
      coresInUse: this.#budget.inUse,
      peakCores: this.#budget.peak,
      queryThreads: this.#lanes.query.threads,
      bulkThreads: this.#lanes.bulk.threads,
      models: this.#models.size,
    };
  }

  /** Rejects waiting work with SLUICE_ABORTED, lets running pieces end, ends the workers. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#lanes.query.close(), this.#lanes.bulk.close()]).then(() => {
      this.#models.clear();
      this.#channel.close();
    });
    return this.#closing;
  }

  #hold(spec: ModelSpec, warm: Priority): HeldModel {
    const { name: _, ...same } = spec;
    const identity = JSON.stringify(same);
    let model = this.#models.get(identity);
    if (!model) {
      // A key of its own for each opening: a late release of an earlier one cannot hit it.
      const ref: ModelRef = { key: `model-${++openings}`, spec, provider: this.#provider };
      model = { identity, ref, shape: openJob(this.#lanes[warm], ref), holders: 0 };
      this.#models.set(identity, model);
    }
    model.holders++;
    return model;
  }

  #letGo(model: HeldModel): void {
    if (--model.holders > 0) return;
    if (this.#models.get(model.identity) === model) this.#models.delete(model.identity);
    if (!this.#closing) this.#channel.postMessage({ release: model.ref.key } satisfies ReleaseMessage);
  }
}
