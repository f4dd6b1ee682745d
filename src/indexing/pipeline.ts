import { addContextCounts } from '../context-lines/index.js';
import { noFilesHint, type WalkOptions } from '../documents/index.js';
import { SluiceError } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import type { StoreWriter } from '../model/store.js';
import type { AddOptions } from './add-options.js';
import { Admission } from './admission.js';
import { boundedMap, eachOf } from './bounded-map.js';
import { type CommitItem, Committer } from './committer.js';
import { DocumentEmbedder, type EmbeddedDocuments } from './embed-documents.js';
import { watchEventLoop } from './event-loop.js';
import { Ledger } from './ledger.js';
import type { PreparePool } from './prepare-pool.js';
import type { PreparedBatch, PrepareTask } from './prepare-task.js';
import { removeRoots, removeUnseen } from './removals.js';
import { ReplacedSources } from './replaced-sources.js';
import {
  type Census,
  type IndexPhase,
  type IndexProgress,
  type IndexReport,
  progressOf,
  reportOf,
} from './report.js';
import { SeenSources } from './seen-sources.js';
import { SourceTrouble } from './source-trouble.js';
import { type AddSource, type ResolvedSources, resolveSources, takeCensus } from './sources.js';
import { prepareTasks } from './task-stream.js';

const EMBEDS_UNDER_WAY = 3;

export interface IndexingParts {
  writer: StoreWriter;
  embedder: Embedder;
  prepare: PreparePool;
}

/** A run that can be asked how far it is. */
export interface IndexingRun {
  progress(): IndexProgress;
  readonly report: Promise<IndexReport>;
}

/**
 * The bulk pipeline: walk → parse and chunk → embed → commit → publish. Every stage hands on a bounded number of
 * portions, so memory stays flat, and what is committed stays whatever happens to the rest.
 */
export function startIndexing(parts: IndexingParts, sources: AddSource[], options: AddOptions): IndexingRun {
  const ledger = new Ledger();
  const census: Census = { bytes: 0, complete: false };
  const started = performance.now();
  let phase: IndexPhase = 'indexing';
  const elapsed = () => performance.now() - started;
  const loop = watchEventLoop();
  const report = (async () => {
    await indexAll(parts, sources, options, ledger, census);
    phase = 'publishing';
    const publishing = performance.now();
    await parts.writer.publish();
    ledger.spend({ store: performance.now() - publishing });
    phase = 'done';
    const { generation } = parts.writer;
    const interrupted = options.signal?.aborted === true;
    return reportOf(ledger, elapsed(), { generation, interrupted, eventLoop: loop.delay() });
  })().finally(() => loop.stop());
  return { report, progress: () => progressOf(ledger, phase, elapsed(), census) };
}

async function indexAll(
  parts: IndexingParts,
  sources: AddSource[],
  options: AddOptions,
  ledger: Ledger,
  census: Census,
): Promise<void> {
  const { writer } = parts;
  const { signal } = options;
  const resolved = await resolveSources(sources, writer);
  const walk = { ...walkOptions(options), readers: await parts.prepare.readers() };
  await removeRoots(resolved.vanished, writer, ledger);
  const seen = new SeenSources();
  const tasks = prepareTasks(resolved, writer, ledger, {
    walk,
    seen,
    signal,
    onFolder: options.onFolder,
    // A moved JSONL file must not find its own ids taken. The walk is not over, so only what is gone may go.
    beforeIds: once(() => removeUnseen(resolved, seen, true, writer, ledger)),
  });
  // A run that finds nothing new needs no second walk.
  const startCensus = once(() => takeCensus(resolved.roots, signal ? { ...walk, signal } : walk, census));
  const trouble = new SourceTrouble();
  const admission = new Admission(writer, ledger, trouble, writer.generation);
  const embedding = new DocumentEmbedder(parts, ledger, signal);
  const committer = new Committer(writer, ledger, {
    committing: (record) => embedding.committing(record),
    committed: (id) => admission.release(id),
  });
  try {
    const counted = onEach(tasks, () => void startCensus());
    for await (const batch of embeddedBatches(
      parts,
      counted,
      ledger,
      admission,
      trouble,
      embedding,
      signal,
    )) {
      await committer.push(finish(batch, ledger, admission, trouble));
    }
  } finally {
    await committer.flush();
  }
  if (signal?.aborted) return;
  await removeUnseen(resolved, seen, options.include !== undefined, writer, ledger);
  refuseEmptyRun(ledger, resolved, options.include);
}

async function* onEach<T>(items: AsyncIterable<T>, act: () => void): AsyncGenerator<T, void, undefined> {
  for await (const item of items) {
    act();
    yield item;
  }
}

/** The same promise for every call. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

interface EmbeddedBatch {
  batch: PreparedBatch;
  documents: EmbeddedDocuments;
}

async function* embeddedBatches(
  { writer, prepare }: IndexingParts,
  tasks: AsyncIterable<PrepareTask>,
  ledger: Ledger,
  admission: Admission,
  trouble: SourceTrouble,
  embedding: DocumentEmbedder,
  signal: AbortSignal | undefined,
): AsyncGenerator<EmbeddedBatch, void, undefined> {
  const prepared = boundedMap(tasks, prepare.portionsUnderWay, (task) =>
    prepare.prepare(task, signal).catch((error: unknown): PreparedBatch[] => {
      // What was waiting for an endpoint, or for a module of the caller, is given up: none of it is in, and the next run takes it up.
      if (signal?.aborted && SluiceError.is(error) && error.code === 'SLUICE_ABORTED') return [];
      throw error;
    }),
  );
  const replaced = new ReplacedSources(writer, ledger);
  async function* admitted(): AsyncGenerator<PreparedBatch, void, undefined> {
    for await (const batch of eachOf(prepared)) {
      const repeated = await replaced.note(batch);
      for (const item of batch.skipped) {
        ledger.skip(item);
        if (item.file !== undefined) trouble.note(item.file, item.error);
      }
      for (const item of batch.incomplete) {
        ledger.noteIncomplete(item);
        trouble.note(item.file ?? item.source, item.error, true);
      }
      addContextCounts(ledger.contexts, batch.contexts);
      ledger.spend({ read: batch.readMs, chunk: batch.chunkMs });
      yield await admission.admit(batch, repeated);
    }
  }
  yield* boundedMap(admitted(), EMBEDS_UNDER_WAY, async (batch) => ({
    batch,
    documents: await embedding.embed(batch),
  }));
}

/** What of a batch is committed. Runs in the order of the batches, so a file's state knows all of its trouble. */
function finish(
  { batch, documents }: EmbeddedBatch,
  ledger: Ledger,
  admission: Admission,
  trouble: SourceTrouble,
): CommitItem {
  for (const { record, error } of documents.failed) {
    ledger.skip({ source: record.id, error });
    trouble.note(record.source, error);
    admission.release(record.id);
  }
  // After an abort, a file of which something is missing stays as it was: the next run takes it up.
  const dropped = new Set(documents.dropped.map(({ source }) => source));
  const files = batch.files.filter(({ file }) => !dropped.has(file.source));
  return {
    documents: documents.embedded,
    sources: files.map((file) => trouble.settle(file)),
    bytes: batch.bytes,
  };
}

/** Without the signal: the task stream stops by itself, and a walk that throws would lose what is under way. */
function walkOptions({ include, exclude, hidden, maxFileBytes }: AddOptions): WalkOptions {
  return {
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(hidden !== undefined && { hidden }),
    ...(maxFileBytes !== undefined && { maxFileBytes }),
  };
}

function refuseEmptyRun(
  ledger: Ledger,
  resolved: ResolvedSources,
  include: readonly string[] | undefined,
): void {
  const { filesSeen, filesRemoved, filesIgnored } = ledger.counts;
  if (resolved.given.length > 0 || filesSeen > 0 || filesRemoved > 0) return;
  const paths = resolved.roots.map((root) => root.path);
  throw new SluiceError(
    'SLUICE_NO_DOCUMENTS',
    `nothing to index under ${paths.join(', ') || 'an empty list'}`,
    {
      hint: noFilesHint(filesIgnored, include),
      details: { paths, filesIgnored },
    },
  );
}
