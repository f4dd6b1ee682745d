import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SluiceError } from '../errors.js';
import type { ResolvedChunkOptions } from '../model/chunker.js';
import type {
  ContextOptions,
  EndpointContextOptions,
  ExtractiveContextOptions,
} from '../model/context-line.js';

export const DEFAULT_CONTEXT_TOKENS = 64;

/** An endpoint with every default filled in. */
export type ResolvedEndpoint = Required<Omit<EndpointContextOptions, 'apiKeyEnv'>> & {
  apiKeyEnv: string | undefined;
};

const ENDPOINT_NAMES = [
  'endpoint',
  'model',
  'apiKeyEnv',
  'contextTokens',
  'documentTokens',
  'concurrency',
  'retries',
  'timeoutMs',
  'cache',
] as const satisfies readonly (keyof EndpointContextOptions)[];
const EXTRACTIVE_NAMES = [
  'extractive',
  'contextTokens',
] as const satisfies readonly (keyof ExtractiveContextOptions)[];
const LEAST = { contextTokens: 8, documentTokens: 100, concurrency: 1, retries: 0, timeoutMs: 1 } as const;
const TEXTS = ['endpoint', 'model', 'apiKeyEnv', 'cache'] as const;

/** @throws SLUICE_USAGE for an option that does not exist or a value that cannot be, and for a key that is not set */
export function checkContextOptions(options: unknown): asserts options is ContextOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw usage(
      `must be an object, not ${JSON.stringify(options)}`,
      '{ extractive: true }, or an endpoint and its model',
    );
  }
  const given = options as Record<string, unknown>;
  const isExtractive = 'extractive' in given;
  const known: readonly string[] = isExtractive ? EXTRACTIVE_NAMES : ENDPOINT_NAMES;
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw usage(`has no option "${unknown}"`, `it knows ${known.join(', ')}`);
  for (const [name, least] of Object.entries(LEAST)) {
    const value = given[name];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) continue;
    throw usage(`${name} must be a whole number of ${least} or more, got ${String(value)}`);
  }
  for (const name of TEXTS) {
    if (given[name] === undefined || (typeof given[name] === 'string' && given[name] !== '')) continue;
    throw usage(`${name} must be a string that is not empty`);
  }
  if (isExtractive) {
    if (given.extractive !== true) throw usage('extractive must be true');
    return;
  }
  checkEndpoint(given);
}

function checkEndpoint({ endpoint, model, apiKeyEnv }: Record<string, unknown>): void {
  if (
    typeof endpoint !== 'string' ||
    !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')
  ) {
    throw usage(
      `endpoint must be an http address, got ${JSON.stringify(endpoint)}`,
      'such as "http://localhost:8080/v1"',
    );
  }
  if (model === undefined) throw usage('model must say what the endpoint calls its model');
  if (apiKeyEnv !== undefined && (process.env[apiKeyEnv as string] ?? '') === '') {
    throw usage(`the environment variable ${apiKeyEnv} that apiKeyEnv names is not set`);
  }
}

export function resolveEndpoint(options: EndpointContextOptions): ResolvedEndpoint {
  const url = options.endpoint.replace(/\/+$/, '');
  return {
    ...options,
    endpoint: url.endsWith('/chat/completions') ? url : `${url}/chat/completions`,
    apiKeyEnv: options.apiKeyEnv,
    contextTokens: options.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
    documentTokens: options.documentTokens ?? 6_000,
    concurrency: options.concurrency ?? 4,
    retries: options.retries ?? 4,
    timeoutMs: options.timeoutMs ?? 60_000,
    cache: resolve(options.cache ?? join(userCache(), 'sluice', 'contexts')),
  };
}

function userCache(): string {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  if (process.platform === 'win32' && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA;
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
}

/**
 * Chunk options that leave room for a context line in every chunk.
 * @throws SLUICE_USAGE where the line would take more than half of a chunk
 */
export function reserveContext(
  chunking: ResolvedChunkOptions,
  context: ContextOptions,
): ResolvedChunkOptions {
  const contextTokens = context.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const limitTokens = chunking.limitTokens - contextTokens;
  if (limitTokens < contextTokens) {
    throw usage(
      `contextTokens of ${contextTokens} take more than half of a chunk of ${chunking.limitTokens}`,
      `set at most ${Math.floor(chunking.limitTokens / 2)}`,
    );
  }
  const { parents } = chunking;
  const window = parents && { ...parents.window, limitTokens: parents.window.limitTokens - contextTokens };
  return {
    ...chunking,
    limitTokens,
    overlapTokens: Math.min(chunking.overlapTokens, limitTokens - 1),
    ...(parents && window && { parents: { ...parents, window } }),
  };
}

function usage(message: string, hint?: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', `context: ${message}`, hint === undefined ? {} : { hint });
}
