/** Worker thread: parses and chunks. Started by prepare-pool.ts with a PrepareSetup as its data. */

import { workerData } from 'node:worker_threads';
import { workerData as piscinaData } from 'piscina';
import { createChunker, resolveChunkOptions } from '../chunking/index.js';
import {
  type ContextSetup,
  type CountingChunker,
  createSituatedChunker,
  reserveContext,
} from '../context-lines/index.js';
import type { ReadOptions } from '../documents/index.js';
import { type ErrorRecord, toErrorRecord } from '../errors.js';
import type { ResolvedChunkOptions } from '../model/chunker.js';
import type { ContextOptions, SituatedChunker } from '../model/context-line.js';
import { addon } from '../native/addon.js';
import { moved } from '../threads/transfer.js';
import { dictionaryFingerprint, loadBpe, loadModelTokenizer, segmentForKeywords } from '../tokens/index.js';
import { prepare } from './prepare.js';
import type { Fingerprints, PreparedBatch, PrepareSetup, PrepareTask } from './prepare-task.js';

/** What documents are read and cut with. */
interface Tools {
  readonly chunker: SituatedChunker;
  readonly reading: ReadOptions;
}

let tools: Promise<Tools> | undefined;

/** What this thread was started with. */
export function threadSetup(): PrepareSetup {
  return (piscinaData ?? workerData) as PrepareSetup;
}

/** The tools of this thread: the tokenizer is loaded on first use. */
export function threadTools(): Promise<Tools> {
  tools ??= toolsOf(threadSetup());
  return tools;
}

async function toolsOf(setup: PrepareSetup): Promise<Tools> {
  const options = chunkOptionsOf(setup);
  const { context, encoding } = setup;
  const chunker = createChunker(context === undefined ? options : reserveContext(options, context));
  return {
    chunker:
      context === undefined ? chunker : createSituatedChunker(chunker, contextSetup(setup, context, options)),
    reading: { ...(encoding !== undefined && { encoding }) },
  };
}

function contextSetup(
  { estimateContext = false, stop }: PrepareSetup,
  context: ContextOptions,
  { limitTokens, tokenizer }: ResolvedChunkOptions,
): ContextSetup {
  return {
    context,
    limitTokens,
    tokenizer,
    counter: loadBpe('cl100k'),
    estimateOnly: estimateContext,
    stopSignal: () => stopSignal(stop),
  };
}

/** How soon a call over the network ends after an abort. */
const LOOK_EVERY_MS = 50;

/** The main thread cannot call into a worker that waits, so it leaves a mark in shared memory. */
function stopSignal(stop: SharedArrayBuffer | undefined): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const mark = stop && new Int32Array(stop);
  const look = () => {
    if (mark && Atomics.load(mark, 0) !== 0) controller.abort();
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return { signal: controller.signal, dispose: () => clearInterval(timer) };
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

/** An answer, or a failure as data: an error that is thrown in a worker arrives without its code. */
export type Answer<T> = { value: T } | { failure: ErrorRecord };

/** What shapes chunks and terms, for the passport: finding it out needs files that only this thread loads. */
export function fingerprints(): Promise<Answer<Fingerprints>> {
  return answer(async () => ({
    chunker: (await threadTools()).chunker.fingerprint,
    analyzer: addon().analyzerName(),
    dictionary: dictionaryFingerprint(),
  }));
}

/** Cuts a query the way the indexed text was cut. */
export function segment(text: string): Promise<Answer<string>> {
  return answer(async () => segmentForKeywords(text));
}

export async function run(task: PrepareTask): Promise<Answer<PreparedBatch>> {
  return moved(
    await answer(async () => {
      const { chunker, reading } = await threadTools();
      const batch = await prepare(task, chunker, reading);
      return { ...batch, contexts: (chunker as Partial<CountingChunker>).takeCounts?.() ?? batch.contexts };
    }),
  );
}

export async function answer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: toErrorRecord(error) };
  }
}
