/** Worker thread: parses and chunks. Started by prepare-pool.ts with a PrepareSetup as its data. */

import { workerData } from 'node:worker_threads';
import { workerData as piscinaData } from 'piscina';
import { chunkerContext, createChunker, resolveChunkOptions } from '../chunking/index.js';
import { type ErrorRecord, toErrorRecord } from '../errors.js';
import type { Chunker, ResolvedChunkOptions } from '../model/chunker.js';
import { addon } from '../native/addon.js';
import { moved } from '../threads/transfer.js';
import { dictionaryFingerprint, loadBpe, loadModelTokenizer, segmentForKeywords } from '../tokens/index.js';
import { loadChunker, loadReaders, type ModuleReader } from './caller-modules.js';
import { prepare } from './prepare.js';
import type { Fingerprints, PreparedBatch, PrepareSetup, PrepareTask, ReaderNames } from './prepare-task.js';
import { sentenceEmbedder } from './sentence-vectors.js';

/** What documents are read and cut with. */
interface Tools {
  readonly chunker: Chunker;
  readonly readers: readonly ModuleReader[];
}

let tools: Promise<Tools> | undefined;

/** The tools of this thread: tokenizers and modules are loaded on first use. */
function threadTools(): Promise<Tools> {
  tools ??= toolsOf((piscinaData ?? workerData) as PrepareSetup);
  return tools;
}

async function toolsOf(setup: PrepareSetup): Promise<Tools> {
  const options = chunkOptionsOf(setup);
  return {
    chunker: setup.chunker
      ? await loadChunker(setup.chunker, chunkerContext(options))
      : createChunker(options),
    readers: await loadReaders(setup.readers ?? []),
  };
}

function chunkOptionsOf(setup: PrepareSetup): ResolvedChunkOptions {
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
    const { chunker, readers } = await threadTools();
    return {
      chunker: chunker.fingerprint,
      readers: readers.length === 0 ? undefined : readers.map((reader) => reader.fingerprint).join(', '),
      analyzer: addon().analyzerName(),
      dictionary: dictionaryFingerprint(),
    };
  });
}

/** The caller's readers, as far as they can be sent. */
export function readers(): Promise<Answer<ReaderNames[]>> {
  return answer(async () =>
    (await threadTools()).readers.map(({ name, extensions, format }) => ({ name, extensions, format })),
  );
}

/** Cuts a query the way the indexed text was cut. */
export function segment(text: string): Promise<Answer<string>> {
  return answer(async () => segmentForKeywords(text));
}

export async function run(task: PrepareTask): Promise<Answer<PreparedBatch>> {
  return moved(
    await answer(async () => {
      const { chunker, readers } = await threadTools();
      return prepare(task, chunker, readers);
    }),
  );
}

async function answer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: toErrorRecord(error) };
  }
}
