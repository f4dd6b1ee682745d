/** Sizes: from what a user sets and what the embedder can read to numbers that are safe to cut with. */

import { SluiceError } from '../errors.js';
import {
  CHUNK_PRESETS,
  CHUNK_STRATEGIES,
  CHUNK_TOKENS,
  type ChunkOptions,
  type ChunkSizes,
  type ChunkStrategy,
  type ChunkTokens,
  type EmbedSentences,
  type ResolvedChunkOptions,
} from '../model/chunker.js';
import type { Tokenizer } from '../model/tokenizer.js';
import { DEFAULT_SEPARATORS } from './separators.js';

/** What the embedder reads, in tokens of its own tokenizer, and what else a chunker may need. */
export interface ChunkContext {
  /** The embedder's own tokenizer. */
  readonly tokenizer: Tokenizer;
  /** Loads an encoding; asked for sizes in its tokens only. */
  readonly loadEncoding: (name: Exclude<ChunkTokens, 'model'>) => Tokenizer;
  /** Most tokens that the embedder reads, special tokens included. */
  readonly windowTokens: number;
  /** Special tokens that it adds to each text. */
  readonly specialTokens: number;
  /** Tokens of the instruction that it puts before each passage ('passage: '); 0 if none. */
  readonly prefixTokens: number;
  /** Embeds sentences, and a name of what does, for the fingerprint. Needed for 'semantic' only. */
  readonly sentences?: { readonly model: string; readonly embed: EmbedSentences };
}

/** Of the limit; 75 of 500 is the same share. */
const OVERLAP_SHARE = 0.15;
/** Sizes in another encoding than the model's, where nothing else is said. */
const DEFAULT_ENCODED_LIMIT = 500;
const DEFAULT_WORDS = 120;
const DEFAULT_PARENT_TOKENS = 1500;
const DEFAULT_CHILD_TOKENS = 300;
const DEFAULT_CHILD_OVERLAP = 40;
const DEFAULT_PERCENTILE = 95;
const DEFAULT_BUFFER = 1;
const MOST_BUFFER = 10;
/** Each separator costs a pass over the text that the ones before it did not cut small enough. */
const MOST_SEPARATORS = 32;

/** Options of one strategy alone: set for another, they would be without effect. */
const ONLY_OF: Partial<Record<keyof ChunkOptions, ChunkStrategy>> = {
  limitWords: 'words',
  overlapWords: 'words',
  separators: 'recursive',
  parentTokens: 'parent-child',
  breakpointPercentile: 'semantic',
  bufferSentences: 'semantic',
};

/**
 * Fills in every default and checks every value; nothing behind this edge checks again.
 *
 * The default limit is the embedder's window less special and instruction tokens, the default overlap 15% of the
 * limit, both rounded down. In the embedder's own tokens the limit may not be over that window. In tokens of another
 * encoding it may: such a chunk is embedded by windows and pooled.
 * @throws SLUICE_USAGE naming the option, its value and what is allowed
 */
export function resolveChunkOptions(options: ChunkOptions, context: ChunkContext): ResolvedChunkOptions {
  const sizes = presetSizes(options);
  const strategy = strategyOf(options, sizes);
  for (const [name, owner] of Object.entries(ONLY_OF)) {
    const value = options[name as keyof ChunkOptions];
    if (value === undefined || owner === strategy) continue;
    throw usage(name, value, `is of strategy '${owner}', not of '${strategy}'`, 'leave it out', {});
  }
  const room = roomForText(context);
  const limitTokens = limitOf(options, strategy, sizes, room);
  return {
    strategy,
    limitTokens,
    overlapTokens: overlapOf(options, strategy, sizes, limitTokens),
    tokenizer: sizes.tokens === 'model' ? context.tokenizer : context.loadEncoding(sizes.tokens),
    ...(strategy === 'words' && { words: wordSizes(options) }),
    ...(strategy === 'recursive' && { separators: separatorsOf(options) }),
    ...(strategy === 'parent-child' && {
      parents: {
        limitTokens: parentLimit(options, sizes, limitTokens),
        window: { limitTokens: room, tokenizer: context.tokenizer },
      },
    }),
    ...(strategy === 'semantic' && { semantic: semanticOf(options, context) }),
  };
}

function strategyOf({ strategy, preset }: ChunkOptions, sizes: ChunkSizes): ChunkStrategy {
  if (strategy === undefined) return sizes.strategy ?? 'auto';
  requireOneOf('strategy', strategy, CHUNK_STRATEGIES);
  if (sizes.strategy === undefined || strategy === sizes.strategy) return strategy;
  const what = `contradicts the preset ${preset}, which is of strategy '${sizes.strategy}'`;
  throw usage('strategy', strategy, what, 'leave one of them out', { preset });
}

function presetSizes(options: ChunkOptions): ChunkSizes {
  const preset = options.preset ?? 'model';
  requireOneOf('preset', preset, Object.keys(CHUNK_PRESETS));
  const sizes: ChunkSizes = CHUNK_PRESETS[preset];
  const { tokens } = options;
  if (tokens === undefined || tokens === sizes.tokens) return sizes;
  requireOneOf('tokens', tokens, CHUNK_TOKENS);
  if (options.preset === undefined) return { tokens };
  const what = `contradicts the preset ${preset}, which counts in tokens of ${sizes.tokens}`;
  throw usage('tokens', tokens, what, 'leave one of them out', { preset });
}

function limitOf(options: ChunkOptions, strategy: ChunkStrategy, sizes: ChunkSizes, room: number): number {
  const inModelTokens = sizes.tokens === 'model';
  const natural = sizes.limitTokens ?? (inModelTokens ? room : Math.min(room, DEFAULT_ENCODED_LIMIT));
  const isChild = strategy === 'parent-child' && sizes.limitTokens === undefined;
  const limit = options.limitTokens ?? (isChild ? Math.min(natural, DEFAULT_CHILD_TOKENS) : natural);
  requireInteger('limitTokens', limit, 1, 'tokens');
  if (inModelTokens && limit > room) {
    const what = `is over the ${room} tokens that the embedder reads`;
    throw usage('limitTokens', limit, what, `set at most ${room}`, { maximum: room });
  }
  return limit;
}

function overlapOf(
  options: ChunkOptions,
  strategy: ChunkStrategy,
  sizes: ChunkSizes,
  limitTokens: number,
): number {
  const share = Math.floor(limitTokens * OVERLAP_SHARE);
  const ofPreset = options.limitTokens === undefined ? sizes.overlapTokens : undefined;
  const natural =
    ofPreset ??
    (strategy === 'parent-child' && limitTokens >= DEFAULT_CHILD_OVERLAP * 4 ? DEFAULT_CHILD_OVERLAP : share);
  const overlap = options.overlapTokens ?? natural;
  requireOverlap('overlapTokens', overlap, 'limitTokens', limitTokens, 'tokens');
  return overlap;
}

function wordSizes(options: ChunkOptions) {
  const limit = options.limitWords ?? DEFAULT_WORDS;
  requireInteger('limitWords', limit, 1, 'words');
  const overlap = options.overlapWords ?? Math.floor(limit * OVERLAP_SHARE);
  requireOverlap('overlapWords', overlap, 'limitWords', limit, 'words');
  return { limit, overlap };
}

function separatorsOf({ separators }: ChunkOptions): readonly string[] {
  if (separators === undefined) return DEFAULT_SEPARATORS;
  const isList = Array.isArray(separators) && separators.length <= MOST_SEPARATORS;
  if (isList && separators.every((one) => typeof one === 'string' && one !== '')) return separators;
  throw usage(
    'separators',
    JSON.stringify(separators),
    `is not a list of at most ${MOST_SEPARATORS} strings that are not empty`,
    'what no separator cuts small enough is cut into token windows anyway',
    {},
  );
}

function parentLimit(options: ChunkOptions, sizes: ChunkSizes, limitTokens: number): number {
  const parentTokens = options.parentTokens ?? sizes.parentTokens ?? DEFAULT_PARENT_TOKENS;
  requireInteger('parentTokens', parentTokens, 1, 'tokens');
  if (parentTokens >= limitTokens) return parentTokens;
  const what = `is under limitTokens (${limitTokens}), the size of a child`;
  throw usage('parentTokens', parentTokens, what, `set ${limitTokens} or more`, { minimum: limitTokens });
}

function semanticOf(options: ChunkOptions, context: ChunkContext) {
  const { breakpointPercentile: percentile = DEFAULT_PERCENTILE, bufferSentences = DEFAULT_BUFFER } = options;
  if (typeof percentile !== 'number' || !(percentile > 0 && percentile < 100)) {
    const what = 'is not a number between 0 and 100';
    throw usage('breakpointPercentile', percentile, what, `leave it out for ${DEFAULT_PERCENTILE}`, {});
  }
  requireInteger('bufferSentences', bufferSentences, 0, 'sentences');
  if (bufferSentences > MOST_BUFFER) {
    const what = 'makes neighbours the same text';
    throw usage('bufferSentences', bufferSentences, what, `set at most ${MOST_BUFFER}`, {
      maximum: MOST_BUFFER,
    });
  }
  const { sentences } = context;
  if (sentences !== undefined) return { percentile, buffer: bufferSentences, ...sentences };
  throw usage(
    'strategy',
    'semantic',
    'embeds sentences while documents are cut, which needs a model that runs here',
    'use a local model, or another strategy',
    {},
  );
}

/** Tokens that the embedder has for a chunk. */
function roomForText({ windowTokens, specialTokens, prefixTokens }: ChunkContext): number {
  const room = windowTokens - specialTokens - prefixTokens;
  if (room >= 1) return room;
  throw usage(
    'windowTokens',
    windowTokens,
    'leaves no token for text',
    'choose a model with a longer window',
    { specialTokens, prefixTokens },
  );
}

function requireOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw usage(name, value, 'is unknown', `use one of ${allowed.join(', ')}`, { allowed: [...allowed] });
}

function requireInteger(name: string, value: number, minimum: number, unit: string): void {
  if (Number.isInteger(value) && value >= minimum) return;
  throw usage(name, value, `is not a whole number of ${unit} from ${minimum} on`, `set ${minimum} or more`, {
    minimum,
  });
}

function requireOverlap(name: string, value: number, limitName: string, limit: number, unit: string): void {
  requireInteger(name, value, 0, unit);
  if (value < limit) return;
  const maximum = limit - 1;
  throw usage(name, value, `is not under ${limitName} (${limit})`, `set at most ${maximum}`, { maximum });
}

function usage(
  name: string,
  value: unknown,
  what: string,
  hint: string,
  details: Record<string, unknown>,
): SluiceError {
  return new SluiceError('SLUICE_USAGE', `chunk option ${name}: ${String(value)} ${what}`, {
    hint,
    details: { option: name, value, ...details },
  });
}
