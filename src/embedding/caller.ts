import { SluiceError } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import { BatchedEmbedder } from './batched.js';

type CallerFunction = (
  texts: string[],
  purpose: 'passage' | 'query',
  signal: AbortSignal,
) => Promise<ArrayLike<ArrayLike<number>>> | ArrayLike<ArrayLike<number>>;

export interface CallerEmbedderOptions {
  /** Identity of whatever makes the vectors, compared when an index is opened: change it with the model. */
  model: string;
  dims: number;
  /** Tokens that the model reads of one text, so that chunks can be made to fit. */
  windowTokens: number;
  /** Makes one vector of `dims` numbers for each text, in order. */
  embed: CallerFunction;
  /** Bring vectors to length 1. Default: true. */
  normalize?: boolean;
  queryPrefix?: string;
  passagePrefix?: string;
  /** Texts of one call. Default: 64. */
  batchSize?: number;
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isText = (value: unknown) => typeof value === 'string';

const CHECKS: Record<keyof CallerEmbedderOptions, { test: (value: unknown) => boolean; wants: string }> = {
  model: { test: (value) => isText(value) && value !== '', wants: 'a name' },
  dims: { test: isCount, wants: 'a whole number of 1 or more' },
  windowTokens: { test: isCount, wants: 'a whole number of 1 or more' },
  embed: { test: (value) => typeof value === 'function', wants: 'a function from texts to vectors' },
  normalize: { test: (value) => typeof value === 'boolean', wants: 'true or false' },
  queryPrefix: { test: isText, wants: 'a string' },
  passagePrefix: { test: isText, wants: 'a string' },
  batchSize: { test: isCount, wants: 'a whole number of 1 or more' },
};
const REQUIRED: readonly string[] = ['model', 'dims', 'windowTokens', 'embed'];

/**
 * Wraps a function of the caller. Its vectors are checked: number, length, NaN.
 * @throws SLUICE_USAGE for an option that is missing, unknown, or of a value that cannot be
 */
export function callerEmbedder(options: CallerEmbedderOptions): Embedder {
  checkOptions(options);
  const { model, embed } = options;
  return new BatchedEmbedder({
    source: model,
    batchSize: options.batchSize ?? 64,
    concurrency: 1,
    fingerprint: {
      kind: 'caller',
      name: model,
      model,
      tokenizer: 'caller',
      dims: options.dims,
      windowTokens: options.windowTokens,
      pooling: 'none',
      normalized: options.normalize ?? true,
      queryPrefix: options.queryPrefix ?? '',
      passagePrefix: options.passagePrefix ?? '',
    },
    embedBatch: async (texts, purpose, signal) => ({
      vectors: await embed(texts, purpose, signal),
      tokens: 0,
    }),
  });
}

function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw usage(`the options of callerEmbedder must be an object, not ${String(options)}`);
  }
  const given = options as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(CHECKS, name));
  if (unknown !== undefined) throw usage(`callerEmbedder has no option "${unknown}"`);
  for (const [name, { test, wants }] of Object.entries(CHECKS)) {
    const value = given[name];
    if (value === undefined && !REQUIRED.includes(name)) continue;
    if (!test(value)) throw usage(`callerEmbedder: ${name} must be ${wants}, not ${String(value)}`);
  }
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message, { hint: `it knows ${Object.keys(CHECKS).join(', ')}` });
}

/**
 * The `embed` function of a caller that brings its vectors along: looks each text up.
 * @throws SLUICE_EMBEDDING_INVALID naming the start of a text that has no vector
 */
export function lookUpVectors(vectors: ReadonlyMap<string, ArrayLike<number>>): CallerFunction {
  return (texts) =>
    texts.map((text) => {
      const vector = vectors.get(text);
      if (vector) return vector;
      const start = JSON.stringify(text.slice(0, 60));
      throw new SluiceError('SLUICE_EMBEDDING_INVALID', `no vector was brought for the text ${start}`, {
        hint: 'vectors are found by the exact text, prefix included',
      });
    });
}
