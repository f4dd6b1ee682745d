import { SluiceError } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import type { TextColumn } from '../model/text-column.js';
import { postJson } from '../remote/post-json.js';
import { withRetries } from '../remote/retry.js';
import { BatchedEmbedder, type VectorBatch } from './batched.js';

export interface RemoteEmbedderOptions {
  /** The whole address of an OpenAI-compatible embeddings endpoint. */
  url: string;
  /** What the service calls its model: sent with each request, and compared when an index is opened. */
  model: string;
  dims: number;
  /** Tokens that the model reads of one text, so that chunks can be made to fit. */
  windowTokens: number;
  /** Sent as a bearer token. Default: none. */
  apiKey?: string;
  /** Texts of one request. Default: 64. */
  batchSize?: number;
  /** Requests under way at once. Default: 2. */
  concurrency?: number;
  /** Attempts after the first, on 429, 5xx and network failures. Default: 4. */
  retries?: number;
  /** Limit of one request in milliseconds. Default: 60,000. */
  timeoutMs?: number;
  /** Bring vectors to length 1. Default: true. */
  normalize?: boolean;
  queryPrefix?: string;
  passagePrefix?: string;
  /** Counts tokens as the model does: then texts that the service will cut are counted in the cost. */
  countTokens?: (texts: TextColumn) => ArrayLike<number>;
  /** Default: the global fetch. */
  fetch?: typeof fetch;
}

/**
 * An embedder over an HTTP service. Nothing is sent before the first `embed`.
 * @throws SLUICE_USAGE if the address isn't one
 */
export function remoteEmbedder(options: RemoteEmbedderOptions): Embedder {
  if (!URL.canParse(options.url)) {
    throw new SluiceError('SLUICE_USAGE', `${options.url} is not the address of an embeddings endpoint`);
  }
  return new BatchedEmbedder({
    source: options.model,
    batchSize: options.batchSize ?? 64,
    concurrency: options.concurrency ?? 2,
    countTokens: options.countTokens,
    fingerprint: {
      kind: 'remote',
      name: options.model,
      model: options.model,
      tokenizer: 'remote',
      dims: options.dims,
      windowTokens: options.windowTokens,
      pooling: 'none',
      normalized: options.normalize ?? true,
      queryPrefix: options.queryPrefix ?? '',
      passagePrefix: options.passagePrefix ?? '',
    },
    embedBatch: (texts, _, signal) =>
      withRetries(options.retries ?? 4, signal, () => requestVectors(options, texts, signal)),
  });
}

async function requestVectors(
  { url, model, apiKey, timeoutMs = 60_000, fetch }: RemoteEmbedderOptions,
  texts: string[],
  signal: AbortSignal,
): Promise<VectorBatch> {
  const body = { model, input: texts, encoding_format: 'float' };
  const answer = await postJson({
    who: 'the embeddings endpoint',
    ...{ url, apiKey, timeoutMs, signal, fetch, body },
  });
  return readAnswer(answer, texts.length);
}

/** Puts vectors in the order of their index: services may answer in another order than asked. */
function readAnswer(answer: unknown, count: number): VectorBatch {
  const { data, usage } = (answer ?? {}) as {
    data?: Array<{ index?: unknown; embedding?: unknown }>;
    usage?: { prompt_tokens?: unknown };
  };
  if (!Array.isArray(data)) {
    throw new SluiceError(
      'SLUICE_EMBEDDING_INVALID',
      'the embeddings endpoint answered without a list of data',
    );
  }
  const vectors: unknown[] = new Array(Math.max(count, data.length)).fill(undefined);
  for (const [position, item] of data.entries()) {
    const index = typeof item?.index === 'number' ? item.index : position;
    if (!(index in vectors) || vectors[index] !== undefined) {
      throw new SluiceError(
        'SLUICE_EMBEDDING_INVALID',
        `the embeddings endpoint answered index ${index} twice or out of range`,
        { details: { index, texts: count } },
      );
    }
    vectors[index] = item.embedding;
  }
  const tokens = usage?.prompt_tokens;
  return { vectors, tokens: typeof tokens === 'number' ? tokens : 0 };
}
