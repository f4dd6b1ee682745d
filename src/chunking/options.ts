/** Sizes: from what a user sets and what the embedder can read to numbers that are safe to cut with. */

import { SluiceError } from '../errors.js';
import type { ChunkOptions, ChunkStrategy, ResolvedChunkOptions } from '../model/chunker.js';
import type { Tokenizer } from '../model/tokenizer.js';

/** What the embedder reads, in tokens of its own tokenizer. */
export interface ChunkContext {
  /** The embedder's own tokenizer. */
  readonly tokenizer: Tokenizer;
  /** The cl100k encoding: needed for the preset 'cl100k-500-75' only, so it may be left out otherwise. */
  readonly bpe?: Tokenizer;
  /** Most tokens that the embedder reads, special tokens included. */
  readonly windowTokens: number;
  /** Special tokens that it adds to each text. */
  readonly specialTokens: number;
  /** Tokens of the instruction that it puts before each passage ('passage: '); 0 if none. */
  readonly prefixTokens: number;
}

const STRATEGIES: readonly ChunkStrategy[] = ['auto', 'structure', 'window', 'whole'];
const PRESETS = ['model', 'cl100k-500-75'] as const;

/** Of the limit; 75 of 500 is the same share. */
const OVERLAP_SHARE = 0.15;

/**
 * Fills in every default and checks every value; nothing behind this edge checks again.
 *
 * The default limit is the embedder's window less special and instruction tokens, the default overlap 15% of the
 * limit, both rounded down. In the embedder's own tokens the limit may not be over that window. In cl100k tokens it
 * may: such a chunk is embedded by windows and pooled.
 * @throws SLUICE_USAGE naming the option, its value and what is allowed
 */
export function resolveChunkOptions(options: ChunkOptions, context: ChunkContext): ResolvedChunkOptions {
  const strategy = options.strategy ?? 'auto';
  const preset = options.preset ?? 'model';
  requireOneOf('strategy', strategy, STRATEGIES);
  requireOneOf('preset', preset, PRESETS);
  const inModelTokens = preset === 'model';
  const room = roomForText(context);
  const limitTokens = options.limitTokens ?? (inModelTokens ? room : 500);
  requireInteger('limitTokens', limitTokens, 1);
  if (inModelTokens && limitTokens > room) {
    const what = `is over the ${room} tokens that the embedder reads`;
    throw usage('limitTokens', limitTokens, what, `set at most ${room}`, { maximum: room });
  }
  const overlapTokens = options.overlapTokens ?? Math.floor(limitTokens * OVERLAP_SHARE);
  requireInteger('overlapTokens', overlapTokens, 0);
  if (overlapTokens >= limitTokens) {
    const maximum = limitTokens - 1;
    const what = `is not under limitTokens (${limitTokens})`;
    throw usage('overlapTokens', overlapTokens, what, `set at most ${maximum}`, { maximum });
  }
  return {
    strategy,
    limitTokens,
    overlapTokens,
    tokenizer: inModelTokens ? context.tokenizer : requireBpe(context),
  };
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
    {
      specialTokens,
      prefixTokens,
    },
  );
}

function requireBpe(context: ChunkContext): Tokenizer {
  if (context.bpe !== undefined) return context.bpe;
  throw usage(
    'preset',
    'cl100k-500-75',
    'counts in cl100k tokens, but no such tokenizer was given',
    'pass it as bpe',
    {},
  );
}

function requireOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw usage(name, value, 'is unknown', `use one of ${allowed.join(', ')}`, { allowed: [...allowed] });
}

function requireInteger(name: string, value: number, minimum: number): void {
  if (Number.isInteger(value) && value >= minimum) return;
  throw usage(name, value, `is not a whole number of tokens from ${minimum} on`, `set ${minimum} or more`, {
    minimum,
  });
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
