/** Worker thread: parses and chunks. Started by prepare-pool.ts with a PrepareSetup as its data. */

import { workerData } from 'node:worker_threads';
import { workerData as piscinaData } from 'piscina';
import { createChunker, resolveChunkOptions } from '../chunking/index.js';
import type { ReadOptions } from '../documents/index.js';
import { type ErrorRecord, toErrorRecord } from '../errors.js';
import type { Chunker, ResolvedChunkOptions } from '../model/chunker.js';
import { addon } from '../native/addon.js';
import { moved } from '../threads/transfer.js';
import { dictionaryFingerprint, loadBpe, loadModelTokenizer, segmentForKeywords } from '../tokens/index.js';
import { prepare } from './prepare.js';
import type { Fingerprints, PreparedBatch, PrepareSetup, PrepareTask } from './prepare-task.js';

let chunker: Chunker | undefined;

/** What this thread was started with. */
export function threadSetup(): PrepareSetup {
  return (piscinaData ?? workerData) as PrepareSetup;
}

/** The chunker of this thread: the tokenizer is loaded on first use. */
export function threadChunker(): Chunker {
  chunker ??= createChunker(chunkOptionsOf(threadSetup()));
  return chunker;
}

/** Sizes as numbers, and the tokenizer that they are counted with. */
export function chunkOptionsOf(setup: PrepareSetup): ResolvedChunkOptions {
  const { tokenizer: source, windowTokens, passagePrefix, chunking } = setup;
  const model = source.kind === 'model' ? loadModelTokenizer(source.path) : undefined;
  const tokenizer = model ?? loadBpe('cl100k');
  return resolveChunkOptions(chunking, {
    tokenizer,
    bpe: loadBpe('cl100k'),
    windowTokens,
    specialTokens: model?.specialTokens ?? 0,
    prefixTokens: tokenizer.count(passagePrefix),
  });
}

/** How files are read. */
export function readingOf({ encoding }: PrepareSetup): ReadOptions {
  return encoding === undefined ? {} : { encoding };
}

/** An answer, or a failure as data: an error that is thrown in a worker arrives without its code. */
export type Answer<T> = { value: T } | { failure: ErrorRecord };

/** What shapes chunks and terms, for the passport: finding it out needs files that only this thread loads. */
export function fingerprints(): Promise<Answer<Fingerprints>> {
  return answer(async () => ({
    chunker: threadChunker().fingerprint,
    analyzer: addon().analyzerName(),
    dictionary: dictionaryFingerprint(),
  }));
}

/** Cuts a query the way the indexed text was cut. */
export function segment(text: string): Promise<Answer<string>> {
  return answer(async () => segmentForKeywords(text));
}

export async function run(task: PrepareTask): Promise<Answer<PreparedBatch>> {
  return moved(await answer(async () => prepare(task, threadChunker(), readingOf(threadSetup()))));
}

export async function answer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: toErrorRecord(error) };
  }
}
