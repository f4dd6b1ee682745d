import type { FileEntry, WalkOptions } from '../documents/index.js';
import { jsonlBlocks, walkFolders } from '../documents/index.js';
import { toErrorRecord } from '../errors.js';
import type { SourceState, StoreWriter } from '../model/store.js';
import type { Ledger } from './ledger.js';
import type { PrepareTask } from './prepare-task.js';
import type { ResolvedSources } from './sources.js';

const FILES_PER_LOOKUP = 128;
const FILES_PER_TASK = 32;
/** Text of one portion: a second or so of embedding on two cores, so progress is smooth and an abort is quick. */
const TASK_BYTES = 64 * 1024;
const INPUTS_PER_TASK = 64;

export interface TaskStreamOptions {
  walk: WalkOptions;
  signal: AbortSignal | undefined;
}

/** Portions of work in walking order. Ends early, without an error, when the signal fires. */
export async function* prepareTasks(
  sources: ResolvedSources,
  writer: StoreWriter,
  ledger: Ledger,
  options: TaskStreamOptions,
): AsyncGenerator<PrepareTask, void, undefined> {
  const aborted = () => options.signal?.aborted === true;
  for (let at = 0; at < sources.inputs.length && !aborted(); at += INPUTS_PER_TASK) {
    yield { kind: 'inputs', inputs: sources.inputs.slice(at, at + INPUTS_PER_TASK) };
  }
  let pending: FileEntry[] = [];
  let pendingBytes = 0;
  for await (const file of changedFiles(sources, writer, ledger, options)) {
    if (aborted()) return;
    if (file.format === 'jsonl') {
      yield* jsonlTasks(file, ledger, options.signal);
      continue;
    }
    pending.push(file);
    pendingBytes += file.size;
    if (pending.length >= FILES_PER_TASK || pendingBytes >= TASK_BYTES) {
      yield { kind: 'files', files: pending };
      pending = [];
      pendingBytes = 0;
    }
  }
  if (pending.length > 0 && !aborted()) yield { kind: 'files', files: pending };
}

/** Candidate files, less those that are in already with the same size and time. Failed ones come again. */
async function* changedFiles(
  sources: ResolvedSources,
  writer: StoreWriter,
  ledger: Ledger,
  options: TaskStreamOptions,
): AsyncGenerator<FileEntry, void, undefined> {
  let group: FileEntry[] = [];
  const walk = { ...options.walk, onIgnored: () => ledger.add({ filesIgnored: 1 }) };
  for await (const entry of walkFolders(sources.roots, walk)) {
    if (options.signal?.aborted) return;
    ledger.add({ filesSeen: 1 });
    if (entry.kind === 'skipped') {
      ledger.add({ filesFailed: 1 });
      ledger.skip({ source: entry.source, error: entry.error });
      continue;
    }
    group.push(entry);
    if (group.length < FILES_PER_LOOKUP) continue;
    yield* withoutUnchanged(group, await writer.sourceStates(group.map((file) => file.source)), ledger);
    group = [];
  }
  if (group.length === 0) return;
  yield* withoutUnchanged(group, await writer.sourceStates(group.map((file) => file.source)), ledger);
}

function* withoutUnchanged(
  files: FileEntry[],
  states: Map<string, SourceState>,
  ledger: Ledger,
): Generator<FileEntry, void, undefined> {
  for (const file of files) {
    const state = states.get(file.source);
    if (state?.status === 'done' && state.size === file.size && state.mtimeMs === file.mtimeMs) {
      ledger.add({ filesUnchanged: 1, bytesDone: file.size });
    } else {
      yield file;
    }
  }
}

/** A JSONL file in line-aligned blocks, so that one of any size streams through. */
async function* jsonlTasks(
  file: FileEntry,
  ledger: Ledger,
  signal: AbortSignal | undefined,
): AsyncGenerator<PrepareTask, void, undefined> {
  try {
    for await (const block of jsonlBlocks(file.path, {
      source: file.source,
      blockBytes: TASK_BYTES,
      ...(signal && { signal }),
    })) {
      if (signal?.aborted) return;
      for (const { line, error } of block.skipped) ledger.skip({ source: `${file.source}:${line}`, error });
      const { bytes, firstLine, lastBlock, sourceBytes } = block;
      yield { kind: 'jsonl', file, bytes, firstLine, lastBlock, sourceBytes };
    }
  } catch (error) {
    if (signal?.aborted) return;
    ledger.add({ filesFailed: 1 });
    ledger.skip({ source: file.source, error: toErrorRecord(error, 'SLUICE_FILE_UNREADABLE') });
  }
}
