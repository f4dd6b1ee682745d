/** Worker thread: parses and chunks. Started by prepare-pool.ts with a PrepareSetup as its data. */

import { workerData } from 'node:worker_threads';
import { workerData as piscinaData } from 'piscina';
import { createChunker, resolveChunkOptions } from '../chunking/index.js';
import { type ErrorRecord, toErrorRecord } from '../errors.js';
import type { Chunker } from '../model/chunker.js';
import { addon } from '../native/addon.js';
import { moved } from '../threads/transfer.js';
import { dictionaryFingerprint, loadBpe, loadModelTokenizer, segmentForKeywords } from '../tokens/index.js';
import { prepare } from './prepare.js';
import type { Fingerprints, PreparedBatch, PrepareSetup, PrepareTask } from './prepare-task.js';

let chunker: Chunker | undefined;

/** The chunker of this thread: the tokenizer is loaded on first use. */
function threadChunker(): Chunker {
  chunker ??= chunkerOf((piscinaData ?? workerData) as PrepareSetup);
  return chunker;
}

function chunkerOf(setup: PrepareSetup): Chunker {
  const { tokenizer: source, windowTokens, passagePrefix, chunking } = setup;
  const model = source.kind === 'model' ? loadModelTokenizer(source.path) : undefined;
  const tokenizer = model ?? loadBpe('cl100k');
  const resolved = resolveChunkOptions(chunking, {
    tokenizer,
    loadEncoding: loadBpe,
    windowTokens,
    specialTokens: model?.specialTokens ?? 0,
    prefixTokens: tokenizer.count(passagePrefix),
  });
  return createChunker(resolved);
}

/** An answer, or a failure as data: an error that is thrown in a worker arrives without its code. */
export type Answer<T> = { value: T } | { failure: ErrorRecord };

/** What shapes chunks and terms, for the passport: finding it out needs files that only this thread loads. */
export function fingerprints(): Answer<Fingerprints> {
  return answer(() => ({
    chunker: threadChunker().fingerprint,
    analyzer: addon().analyzerName(),
    dictionary: dictionaryFingerprint(),
  }));
}

/** Cuts a query the way the indexed text was cut. */
export function segment(text: string): Answer<string> {
  return answer(() => segmentForKeywords(text));
}

export async function run(task: PrepareTask): Promise<Answer<PreparedBatch>> {
  try {
    return moved({ value: await prepare(task, threadChunker()) });
  } catch (error) {
    return { failure: toErrorRecord(error) };
  }
}

function answer<T>(work: () => T): Answer<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { failure: toErrorRecord(error) };
  }
}
