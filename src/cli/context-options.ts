import { type Command, InvalidArgumentError } from 'commander';
import type { ContextEstimate } from '../context-estimate.js';
import { SluiceError } from '../errors.js';
import type { ContextOptions } from '../model/context-line.js';
import { wholeNumber } from './options.js';
import { count, counted, print } from './output.js';

export interface ContextCommandOptions {
  context?: string;
  contextModel?: string;
  contextKeyEnv?: string;
  contextTokens?: number;
  contextDocument?: number;
  contextConcurrency?: number;
  contextCache?: string;
  estimate?: boolean;
  priceIn?: number;
  priceOut?: number;
}

/** A line before each chunk that says where it stands in its document. */
export function withContextOptions(command: Command): Command {
  return command
    .option(
      '--context <url-or-extractive>',
      "a line before each chunk: from an OpenAI-compatible endpoint, or 'extractive' for a sentence of the document",
    )
    .option('--context-model <name>', 'what the endpoint calls its model')
    .option('--context-key-env <name>', 'environment variable with the key of the endpoint')
    .option('--context-tokens <n>', 'most tokens of a line (default: 64)', wholeNumber(8))
    .option(
      '--context-document <n>',
      'tokens of the document that go with a question (default: 6000)',
      wholeNumber(100),
    )
    .option('--context-concurrency <n>', 'calls under way at once (default: 4)', wholeNumber(1))
    .option('--context-cache <folder>', 'where answers are kept')
    .option('--estimate', 'only count the calls and tokens that --context would cost')
    .option('--price-in <amount>', 'price of a million tokens that are sent', price)
    .option('--price-out <amount>', 'price of a million tokens that are answered', price);
}

/** @throws SLUICE_USAGE for what belongs to an endpoint where there is none */
export function contextOf(options: ContextCommandOptions): { context?: ContextOptions } {
  const { context, contextTokens } = options;
  const endpoint = {
    ...(options.contextModel !== undefined && { model: options.contextModel }),
    ...(options.contextKeyEnv !== undefined && { apiKeyEnv: options.contextKeyEnv }),
    ...(options.contextDocument !== undefined && { documentTokens: options.contextDocument }),
    ...(options.contextConcurrency !== undefined && { concurrency: options.contextConcurrency }),
    ...(options.contextCache !== undefined && { cache: options.contextCache }),
  };
  const tokens = contextTokens === undefined ? {} : { contextTokens };
  const isEndpoint = context !== undefined && context !== 'extractive';
  if (!isEndpoint && (options.estimate || Object.keys(endpoint).length > 0)) {
    throw usage('--estimate and --context-… want --context with the address of an endpoint');
  }
  if (context === undefined) {
    if (contextTokens !== undefined) throw usage('--context-tokens wants --context');
    return {};
  }
  if (!isEndpoint) return { context: { extractive: true, ...tokens } };
  if (endpoint.model === undefined) throw usage('--context with an endpoint wants --context-model');
  return { context: { endpoint: context, ...tokens, ...endpoint, model: endpoint.model } };
}

export type PricedEstimate = ContextEstimate & { price: number | null };

/** The price in the currency of --price-in and --price-out; null without both. */
export function priced(
  estimate: ContextEstimate,
  { priceIn, priceOut }: ContextCommandOptions,
): PricedEstimate {
  const known = priceIn !== undefined && priceOut !== undefined;
  const price = known ? (estimate.tokensIn * priceIn + estimate.tokensOut * priceOut) / 1_000_000 : null;
  return { ...estimate, price };
}

export function printEstimate({
  documents,
  chunks,
  calls,
  cached,
  tokensIn,
  tokensOut,
  skipped,
  price,
}: PricedEstimate) {
  print(`Context lines for ${counted(documents, 'document')} with ${counted(chunks, 'chunk')}:`);
  print(`  calls   ${count(calls)}; ${count(cached)} more are answered in the cache`);
  print(`  tokens  about ${count(tokensIn)} in, at most ${count(tokensOut)} out`);
  if (price !== null) print(`  price   at most about ${price.toFixed(2)}`);
  if (skipped > 0) print(`  skipped ${count(skipped)}`);
}

function price(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && number >= 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('Give an amount of 0 or more.');
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message);
}
