import { InferenceEngine } from './engine.js';
import type { ModelSpec } from './model-spec.js';
import type { OpenModel } from './open-model.js';
import type { Priority } from './thread-budget.js';

/** A model, and how to close it together with whatever was opened for it. */
export interface OpenedModel {
  model: OpenModel;
  close(): Promise<void>;
}

let shared: { engine: InferenceEngine; holders: number } | undefined;

/**
 * Opens a model in the given engine, which stays its caller's to close; without one, in the engine that all such
 * callers of the process share, whose workers end when the last of them closes.
 */
export async function openModel(
  spec: ModelSpec,
  engine: InferenceEngine | undefined,
  warm: Priority = 'query',
): Promise<OpenedModel> {
  if (engine) {
    const model = await engine.open(spec, warm);
    return { model, close: async () => model.release() };
  }
  shared ??= { engine: new InferenceEngine(), holders: 0 };
  const holder = shared;
  holder.holders++;
  let closing: Promise<void> | undefined;
  const letGo = async () => {
    if (--holder.holders > 0) return;
    if (shared === holder) shared = undefined;
    await holder.engine.close();
  };
  try {
    const model = await holder.engine.open(spec, warm);
    const close = () => {
      model.release();
      return letGo();
    };
    return {
      model,
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await letGo();
    throw error;
  }
}
