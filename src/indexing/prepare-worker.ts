/** Worker thread: parses and chunks. Started by prepare-pool.ts with a PrepareSetup as its data. */

import { threadId, workerData } from 'node:worker_threads';
import { workerData as piscinaData } from 'piscina';
import { chunkerContext, createChunker, resolveChunkOptions } from '../chunking/index.js';
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
import { loadChunker, loadReaders, type ModuleReader } from './caller-modules.js';
import { ModuleCalls, moduleUrls } from './module-calls.js';
import { prepare } from './prepare.js';
import type { Fingerprints, PortionCall, PreparedBatch, PrepareSetup, ReaderNames } from './prepare-task.js';
import { sentenceEmbedder } from './sentence-vectors.js';
import { ItemMarks, ThreadMarks } from './thread-marks.js';
import { DEFAULT_MODULE_TIMEOUT_MS } from './worker-death.js';

/** What documents are read and cut with. */
interface Tools {
  readonly chunker: SituatedChunker;
  readonly reading: Omit<ReadOptions, 'readers'> & { readonly readers: readonly ModuleReader[] };
  readonly calls: ModuleCalls;
}

let tools: Promise<Tools> | undefined;

/** What this thread was started with. */
export function threadSetup(): PrepareSetup {
  return (piscinaData ?? workerData) as PrepareSetup;
}

/** The tools of this thread: tokenizers and modules are loaded on first use. */
export function threadTools(): Promise<Tools> {
  tools ??= toolsOf(threadSetup());
  return tools;
}

async function toolsOf(setup: PrepareSetup): Promise<Tools> {
  const options = chunkOptionsOf(setup);
  const { context, encoding } = setup;
  const calls = moduleCalls(setup);
  const roomy = context === undefined ? options : reserveContext(options, context);
  const chunker = setup.chunker
    ? await loadChunker(setup.chunker, chunkerContext(roomy), calls)
    : createChunker(roomy);
  return {
    chunker:
      context === undefined ? chunker : createSituatedChunker(chunker, contextSetup(setup, context, options)),
    reading: {
      readers: await loadReaders(setup.readers ?? [], calls),
      ...(encoding !== undefined && { encoding }),
    },
    calls,
  };
}

function moduleCalls(setup: PrepareSetup): ModuleCalls {
  const { threadMarks, moduleTimeoutMs = DEFAULT_MODULE_TIMEOUT_MS } = setup;
  const marks = threadMarks && new ThreadMarks(threadMarks, threadId);
  marks?.clear();
  return new ModuleCalls(moduleUrls(setup), moduleTimeoutMs, marks);
}

function contextSetup(
  { estimateContext = false, stop }: PrepareSetup,
  context: ContextOptions,
  { limitTokens, tokenizer, parents }: ResolvedChunkOptions,
): ContextSetup {
  return {
    context,
    limitTokens,
    tokenizer,
    ...(parents && { window: parents.window }),
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
  const { tokenizer: source, windowTokens, passagePrefix, chunking, sentences } = setup;
  const model = source.kind === 'model' ? loadModelTokenizer(source.path) : undefined;
  const tokenizer = model ?? loadBpe('cl100k');
  return resolveChunkOptions(chunking, {
    tokenizer,
    loadEncoding: loadBpe,
    windowTokens,
    specialTokens: model?.specialTokens ?? 0,
    prefixTokens: tokenizer.count(passagePrefix),
    ...(sentences && { sentences: { model: sentences.modelSha256, embed: sentenceEmbedder(sentences) } }),
  });
}

/** An answer, or a failure as data: an error that is thrown in a worker arrives without its code. */
export type Answer<T> = { value: T } | { failure: ErrorRecord };

/** What shapes chunks and terms, for the passport: finding it out needs files that only this thread loads. */
export function fingerprints(): Promise<Answer<Fingerprints>> {
  return answer(async () => {
    const { chunker, reading } = await threadTools();
    const { readers } = reading;
    return {
      chunker: chunker.fingerprint,
      parents: chunker.parents === true,
      readers: readers.length === 0 ? undefined : readers.map((reader) => reader.fingerprint).join(', '),
      analyzer: addon().analyzerName(),
      dictionary: dictionaryFingerprint(),
    };
  });
}

/** The caller's readers, as far as they can be sent. */
export function readers(): Promise<Answer<ReaderNames[]>> {
  return answer(async () =>
    (await threadTools()).reading.readers.map(({ name, extensions, format }) => ({
      name,
      extensions,
      format,
    })),
  );
}

/** Cuts a query the way the indexed text was cut. */
export function segment(text: string): Promise<Answer<string>> {
  return answer(async () => segmentForKeywords(text));
}

/** A portion's work with this thread's tools, marked so that the main thread can tell what it died of. */
export async function onPortion<T>(
  { marks: memory }: PortionCall,
  work: (tools: Tools, marks: ItemMarks) => Promise<T>,
): Promise<T> {
  const marks = new ItemMarks(memory);
  const tools = await threadTools();
  // Only now: what ends the thread before is no document's fault.
  marks.thread = threadId;
  const result = await work(tools, marks);
  await tools.calls.settle();
  return result;
}

export async function run(call: PortionCall): Promise<Answer<PreparedBatch>> {
  return moved(
    await answer(() =>
      onPortion(call, async ({ chunker, reading }, marks) => {
        const batch = await prepare(call.task, chunker, reading, marks);
        return { ...batch, contexts: (chunker as Partial<CountingChunker>).takeCounts?.() ?? batch.contexts };
      }),
    ),
  );
}

export async function answer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: toErrorRecord(error) };
  }
}
