import { SluiceError } from '../errors.js';
import type { EmbedResult } from '../model/embedder.js';
import type { TextColumn } from '../model/text-column.js';
import { embedJob, type ScoreResult, scoreJob } from './jobs.js';
import type { Lane } from './lane.js';
import type { ModelShape, ModelSpec } from './model-spec.js';
import type { ModelRef } from './protocol.js';
import type { Priority } from './thread-budget.js';

/** One holder's hold on a model of an engine. */
export class OpenModel {
  #released = false;

  constructor(
    private readonly ref: ModelRef,
    readonly shape: ModelShape,
    private readonly lanes: Record<Priority, Lane>,
    private readonly letGo: () => void,
  ) {}

  get spec(): ModelSpec {
    return this.ref.spec;
  }

  /** Queries run in the query lane with the query prefix, passages in the bulk lane with theirs. */
  embed(texts: TextColumn, purpose: 'query' | 'passage', signal?: AbortSignal): Promise<EmbedResult> {
    const lane = purpose === 'query' ? this.lanes.query : this.lanes.bulk;
    const prefix = this.spec.prefixes[purpose];
    return this.#whileOpen(() => embedJob(lane, this.ref, this.shape.dims, texts, prefix, signal));
  }

  score(query: string, passages: TextColumn, signal?: AbortSignal): Promise<ScoreResult> {
    return this.#whileOpen(() => scoreJob(this.lanes.query, this.ref, query, passages, signal));
  }

  /** Lets the model go; its sessions end with the last holder. Idempotent. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.letGo();
  }

  async #whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (this.#released) throw new SluiceError('SLUICE_ABORTED', `${this.spec.name} was closed`);
    return work();
  }
}
