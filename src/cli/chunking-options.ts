import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  CHUNK_PRESETS,
  CHUNK_STRATEGIES,
  CHUNK_TOKENS,
  type ChunkOptions,
  type ChunkPreset,
  type ChunkStrategy,
  type ChunkTokens,
} from '../model/chunker.js';
import type { OpenIndexOptions } from '../open-options.js';
import { collected, wholeNumber } from './options.js';

export interface ChunkingOptions {
  strategy?: ChunkStrategy;
  preset?: ChunkPreset;
  tokens?: ChunkTokens;
  limit?: number;
  overlap?: number;
  limitWords?: number;
  overlapWords?: number;
  separator?: string[];
  parent?: number;
  percentile?: number;
  buffer?: number;
  chunker?: string;
  reader?: string[];
  moduleTimeout?: number;
}

/** How documents are read and cut: only a new index can be told, and an old one must be told the same. */
export function withChunkingOptions(command: Command): Command {
  return command
    .addOption(new Option('--strategy <name>', 'how to cut').choices(CHUNK_STRATEGIES))
    .addOption(new Option('--preset <name>', 'named chunk sizes').choices(Object.keys(CHUNK_PRESETS)))
    .addOption(new Option('--tokens <name>', 'what sizes are counted in').choices(CHUNK_TOKENS))
    .option('--limit <tokens>', 'most tokens of a chunk', wholeNumber(1))
    .option('--overlap <tokens>', 'tokens that neighbouring chunks share', wholeNumber(0))
    .option('--limit-words <n>', 'words: size of a window', wholeNumber(1))
    .option('--overlap-words <n>', 'words: what neighbouring windows share', wholeNumber(0))
    .option(
      '--separator <text>',
      'recursive: where to cut, best first (repeatable; \\n, \\t)',
      collectedSeparator,
    )
    .option('--parent <tokens>', 'parent-child: most tokens of a parent', wholeNumber(1))
    .option('--percentile <n>', 'semantic: cut at distances above', percent)
    .option('--buffer <n>', 'semantic: sentences on either side that one is embedded with', wholeNumber(0))
    .option('--chunker <module>', 'cut with a module of your own; its code runs in this process')
    .option('--reader <module>', 'read files with a module of your own (repeatable)', collected)
    .option('--module-timeout <ms>', 'how long such a module may take for one file (60000)', wholeNumber(1));
}

export function chunkingOf(
  options: ChunkingOptions,
): Pick<OpenIndexOptions, 'chunking' | 'chunker' | 'readers' | 'moduleTimeoutMs'> {
  const chunking: { [Name in keyof ChunkOptions]: ChunkOptions[Name] | undefined } = {
    strategy: options.strategy,
    preset: options.preset,
    tokens: options.tokens,
    limitTokens: options.limit,
    overlapTokens: options.overlap,
    limitWords: options.limitWords,
    overlapWords: options.overlapWords,
    separators: options.separator,
    parentTokens: options.parent,
    breakpointPercentile: options.percentile,
    bufferSentences: options.buffer,
  };
  const given = Object.entries(chunking).filter(([, value]) => value !== undefined);
  return {
    chunking: Object.fromEntries(given) as ChunkOptions,
    ...(options.chunker !== undefined && { chunker: options.chunker }),
    ...(options.reader && { readers: options.reader }),
    ...(options.moduleTimeout !== undefined && { moduleTimeoutMs: options.moduleTimeout }),
  };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

function collectedSeparator(value: string, before?: string[]): string[] {
  const separator = value.replace(/\\(.)/g, (whole, letter: string) => ESCAPES[letter] ?? whole);
  return collected(separator, before);
}

function percent(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && number > 0 && number < 100) return number;
  throw new InvalidArgumentError('Give a number between 0 and 100.');
}
