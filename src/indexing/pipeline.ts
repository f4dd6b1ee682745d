import type { WalkOptions } from '../documents/index.js';
import { SluiceError } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import type { SourceState, StoreWriter } from '../model/store.js';
import { Admission } from './admission.js';
import { boundedMap } from './bounded-map.js';
import { type CommitItem, Committer } from './committer.js';
import { embedDocuments } from './embed-documents.js';
import { watchEventLoop } from './event-loop.js';
import { Ledger } from './ledger.js';
import type { PreparePool } from './prepare-pool.js';
import type { PreparedBatch } from './prepare-task.js';
import { removeVanished } from './removals.js';
import { ReplacedSources } from './replaced-sources.js';
import {
  type Census,
  type IndexPhase,
  type IndexProgress,
  type IndexReport,
  progressOf,
  reportOf,
} from './report.js';
import { type AddSource, type ResolvedSources, resolveSources, takeCensus } from './sources.js';
import { prepareTasks } from './task-stream.js';

const PREPARES_UNDER_WAY = 3;
const EMBEDS_UNDER_WAY = 3;

export interface IndexingParts {
  writer: StoreWriter;
  embedder: Embedder;
  prepare: PreparePool;
}

export interface AddOptions {
  /** Glob patterns on the path below the root. Default: every file that a reader knows. */
  include?: string[];
  exclude?: string[];
  /** Hidden files and folders too. Default false. */
  hidden?: boolean;
  /** Largest file that is read, in bytes; JSONL streams and has no limit. Default 64 MiB. */
  maxFileBytes?: number;
  /** Stops walking, commits what is embedded, publishes; then the run rejects with SLUICE_ABORTED. */
  signal?: AbortSignal;
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
  const resolved = await resolveSources(sources, writer);
  const walk = walkOptions(options);
  void takeCensus(resolved.roots, options.signal ? { ...walk, signal: options.signal } : walk, census);
  await removeVanished(resolved.folderPrefixes, writer, ledger);
  const admission = new Admission(writer, ledger, writer.generation);
  const committer = new Committer(writer, ledger, (id) => admission.release(id));
  try {
    for await (const item of embeddedItems(parts, resolved, walk, ledger, admission, options.signal)) {
      await committer.push(item);
    }
  } catch (error) {
    // An abort drops what is under way: a portion takes seconds on a slow machine, and people wait for Ctrl-C.
    if (!options.signal?.aborted) throw error;
  } finally {
    await committer.flush();
  }
  refuseEmptyRun(ledger, resolved, options);
}

async function* embeddedItems(
  { writer, embedder, prepare }: IndexingParts,
  resolved: ResolvedSources,
  walk: WalkOptions,
  ledger: Ledger,
  admission: Admission,
  signal: AbortSignal | undefined,
): AsyncGenerator<CommitItem, void, undefined> {
  const tasks = prepareTasks(resolved, writer, ledger, { walk, signal });
  const prepared = boundedMap(tasks, PREPARES_UNDER_WAY, (task) => prepare.prepare(task));
  const replaced = new ReplacedSources(writer, ledger);
  async function* admitted(): AsyncGenerator<PreparedBatch, void, undefined> {
    for await (const batch of prepared) {
      await replaced.note(batch);
      for (const item of batch.skipped) ledger.skip(item);
      ledger.spend({ read: batch.readMs, chunk: batch.chunkMs });
      yield await admission.admit(batch);
    }
  }
  yield* boundedMap(admitted(), EMBEDS_UNDER_WAY, (batch) =>
    embedBatch(batch, embedder, ledger, admission, signal),
  );
}

async function embedBatch(
  batch: PreparedBatch,
  embedder: Embedder,
  ledger: Ledger,
  admission: Admission,
  signal: AbortSignal | undefined,
): Promise<CommitItem> {
  const { embedded, failed } = await embedDocuments(batch.documents, batch.texts, embedder, ledger, signal);
  const sources = new Map<string, SourceState>(
    batch.files.map(({ file, error }) => [
      file.source,
      { ...stateOf(file), status: error === null ? 'done' : 'failed', error },
    ]),
  );
  for (const { record, error } of failed) {
    const { code, message, details } = error;
    ledger.skip({ source: record.id, error: { code, message, details } });
    admission.release(record.id);
    const state = sources.get(record.source);
    if (state) sources.set(record.source, { ...state, status: 'failed', error: { code, message, details } });
  }
  return { documents: embedded, sources: [...sources.values()], bytes: batch.bytes };
}

function stateOf(file: { source: string; size: number; mtimeMs: number }) {
  return { source: file.source, size: file.size, mtimeMs: file.mtimeMs };
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

function refuseEmptyRun(ledger: Ledger, resolved: ResolvedSources, { signal }: AddOptions): void {
  const { filesSeen, filesRemoved, filesIgnored } = ledger.counts;
  if (signal?.aborted || resolved.inputs.length > 0 || filesSeen > 0 || filesRemoved > 0) return;
  const paths = resolved.roots.map((root) => root.path);
  throw new SluiceError(
    'SLUICE_NO_DOCUMENTS',
    `nothing to index under ${paths.join(', ') || 'an empty list'}`,
    {
      hint:
        filesIgnored > 0
          ? `${filesIgnored} files have a format that no reader knows; name them with include patterns to read them as text`
          : 'the folder is empty, or .gitignore and exclude patterns leave nothing',
      details: { paths, filesIgnored },
    },
  );
}
