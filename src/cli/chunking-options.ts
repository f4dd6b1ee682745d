import { type Command, Option } from 'commander';
import type { OpenIndexOptions } from '../open-options.js';
import { wholeNumber } from './options.js';

export interface ChunkingOptions {
  strategy?: 'auto' | 'structure' | 'window' | 'whole';
  preset?: 'model' | 'cl100k-500-75';
  limit?: number;
  overlap?: number;
}

/** How documents are read and cut: only a new index can be told, and an old one must be told the same. */
export function withChunkingOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--strategy <name>', 'how to cut').choices(['auto', 'structure', 'window', 'whole']),
    )
    .addOption(new Option('--preset <name>', 'named chunk sizes').choices(['model', 'cl100k-500-75']))
    .option('--limit <tokens>', 'most tokens of a chunk', wholeNumber(1))
    .option('--overlap <tokens>', 'tokens that neighbouring windows share', wholeNumber(0));
}

export function chunkingOf(options: ChunkingOptions): Pick<OpenIndexOptions, 'chunking'> {
  return {
    chunking: {
      ...(options.strategy && { strategy: options.strategy }),
      ...(options.preset && { preset: options.preset }),
      ...(options.limit && { limitTokens: options.limit }),
      ...(options.overlap !== undefined && { overlapTokens: options.overlap }),
    },
  };
}
