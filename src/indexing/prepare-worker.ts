/** Worker thread: parses and chunks. Started by prepare-pool.ts with a PrepareSetup as its data. */

import { workerData } from 'node:worker_threads';
import { workerData as piscinaData } from 'piscina';
import { createChunker, resolveChunkOptions } from '../chunking/index.js';
import type { Chunker } from '../model/chunker.js';
import { moved } from '../threads/transfer.js';
import { loadBpe, loadModelTokenizer } from '../tokens/index.js';
import { prepare } from './prepare.js';
import type { PreparedBatch, PrepareSetup, PrepareTask } from './prepare-task.js';

let chunker: Chunker | undefined;

/** The chunker of this thread: the tokenizer is loaded on first use. */
function threadChunker(): Chunker {
  chunker ??= chunkerOf((piscinaData ?? workerData) as PrepareSetup);
  return chunker;
}

function chunkerOf(setup: PrepareSetup): Chunker {
  const { tokenizer: source, windowTokens, passagePrefix, chunking } = setup;
  if (source.kind === 'bpe') {
    const tokenizer = loadBpe(source.name);
    const prefixTokens = tokenizer.count(passagePrefix);
    return createChunker(
      resolveChunkOptions(chunking, { tokenizer, bpe: loadBpe, windowTokens, specialTokens: 0, prefixTokens }),
    );
  }
  const tokenizer = loadModelTokenizer(source.path);
  const { specialTokens } = tokenizer;
  const prefixTokens = tokenizer.count(passagePrefix);
  return createChunker(
    resolveChunkOptions(chunking, { tokenizer, bpe: loadBpe, windowTokens, specialTokens, prefixTokens }),
  );
}

/** The chunker's fingerprint, for the passport: making it needs the tokenizer, which only this thread loads. */
export function fingerprint(): string {
  return threadChunker().fingerprint;
}

export async function run(task: PrepareTask): Promise<PreparedBatch> {
  return moved(await prepare(task, threadChunker()));
}
