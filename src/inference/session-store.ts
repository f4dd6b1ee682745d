import { OnnxModel } from './onnx-model.js';
import type { ModelRef } from './protocol.js';

/** The models of one worker: opened on first use, by one attempt at a time, kept until they are released. */
export class SessionStore {
  readonly #models = new Map<string, Promise<OnnxModel>>();

  get(ref: ModelRef): Promise<OnnxModel> {
    const open = this.#models.get(ref.key) ?? OnnxModel.open(ref.spec, ref.provider);
    this.#models.set(ref.key, open);
    // A failure is told to whoever asked and not kept: the next who asks gets an attempt of its own.
    open.catch(() => this.#models.delete(ref.key));
    return open;
  }

  async release(key: string): Promise<void> {
    const open = this.#models.get(key);
    this.#models.delete(key);
    await (await open)?.close();
  }
}
