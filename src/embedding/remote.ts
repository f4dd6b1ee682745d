import { SluiceError } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import type { TextColumn } from '../model/text-column.js';
import { BatchedEmbedder, type VectorBatch } from './batched.js';
import { TransientFailure, withRetries } from './retry.js';

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
  options: RemoteEmbedderOptions,
  texts: string[],
  signal: AbortSignal,
): Promise<VectorBatch> {
  const response = await post(options, texts, signal);
  if (!response.ok) throw await failureOf(response);
  let answer: unknown;
  try {
    answer = await response.json();
  } catch (cause) {
    throw new TransientFailure('the embeddings endpoint did not answer with JSON', undefined, { cause });
  }
  return readAnswer(answer, texts.length);
}

async function post(options: RemoteEmbedderOptions, texts: string[], signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (options.apiKey !== undefined) headers.authorization = `Bearer ${options.apiKey}`;
  try {
    return await (options.fetch ?? fetch)(options.url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: options.model, input: texts, encoding_format: 'float' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? 60_000)]),
    });
  } catch (cause) {
    const reason =
      (cause as Error).cause instanceof Error ? (cause as { cause: Error }).cause : (cause as Error);
    throw new TransientFailure(`the embeddings endpoint cannot be reached: ${reason.message}`, undefined, {
      cause,
    });
  }
}

/** What a refusal means: worth another try, or wrong for good. */
async function failureOf(response: Response): Promise<Error> {
  const body = (await response.text().catch(() => '')).slice(0, 300);
  const message = `the embeddings endpoint answered ${response.status}${body === '' ? '' : `: ${body}`}`;
  if (response.status !== 429 && response.status < 500) {
    return new SluiceError('SLUICE_MODEL_FAILED', message, { details: { status: response.status } });
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new TransientFailure(message, Number.isFinite(seconds) ? seconds * 1000 : undefined);
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
