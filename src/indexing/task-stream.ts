import type { FileEntry, WalkEntry, WalkOptions } from '../documents/index.js';
import { jsonlBlocks, walkFolders } from '../documents/index.js';
import { toErrorRecord } from '../errors.js';
import type { SourceState, StoreWriter } from '../model/store.js';
import { boundedMap } from './bounded-map.js';
import { givenPortions } from './given-documents.js';
import type { Ledger } from './ledger.js';
import type { PrepareTask } from './prepare-task.js';
import type { SeenSources } from './seen-sources.js';
import type { ResolvedSources } from './sources.js';

const FILES_PER_LOOKUP = 256;
const LOOKUPS_UNDER_WAY = 2;
const FILES_PER_TASK = 32;
/** Text of one portion: a second or so of embedding on two cores, so progress is smooth and an abort is quick. */
const TASK_BYTES = 64 * 1024;
const INPUTS_PER_TASK = 64;
/** Each is an object that the main thread is handed: a thousand tiny ones at once would hold it for milliseconds. */
const LINES_PER_TASK = 256;
const LF = 10;

export interface TaskStreamOptions {
  walk: WalkOptions;
  /** Filled with all that the walk comes by. */
  seen: SeenSources;
  signal: AbortSignal | undefined;
  onFolder: ((path: string) => void) | undefined;
  /** Called before the first task that may bring ids that a vanished file holds. */
  beforeIds: () => Promise<void>;
}

/** Portions of work in walking order. Ends early, without an error, when the signal fires. */
export async function* prepareTasks(
  sources: ResolvedSources,
  writer: StoreWriter,
  ledger: Ledger,
  options: TaskStreamOptions,
): AsyncGenerator<PrepareTask, void, undefined> {
  const aborted = () => options.signal?.aborted === true;
  const limits = { documents: INPUTS_PER_TASK, characters: TASK_BYTES };
  for await (const inputs of givenPortions(sources.given, ledger, limits, options.signal)) {
    if (aborted()) return;
    await options.beforeIds();
    yield { kind: 'inputs', inputs };
  }
  let pending: FileEntry[] = [];
  let pendingBytes = 0;
  for await (const file of changedFiles(sources, writer, ledger, options)) {
    if (aborted()) return;
    if (file.format === 'jsonl') {
      await options.beforeIds();
      yield* jsonlTasks(file, ledger, options.signal);
      continue;
    }
    // A large file goes alone: its buffers are then handed on as they are, not copied into those of a group.
    if (pending.length > 0 && pendingBytes + file.size > TASK_BYTES) {
      yield { kind: 'files', files: pending };
      pending = [];
      pendingBytes = 0;
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

/** A link that leads out of its root is not kept: what it once was may not be found any more. */
function noteSeen(entry: WalkEntry, seen: SeenSources): void {
  if (entry.kind === 'file') seen.add(entry.source);
  else if (entry.error.code !== 'SLUICE_FILE_OUTSIDE_ROOT') seen.keep(entry.source);
}

/** Candidate files, less those that are in already with the same size and time. Failed ones come again. */
async function* changedFiles(
  sources: ResolvedSources,
  writer: StoreWriter,
  ledger: Ledger,
  options: TaskStreamOptions,
): AsyncGenerator<FileEntry, void, undefined> {
  const lookups = boundedMap(fileGroups(sources, ledger, options), LOOKUPS_UNDER_WAY, async (files) => ({
    files,
    states: await writer.sourceStates(files.map((file) => file.source)),
  }));
  for await (const { files, states } of lookups) yield* withoutUnchanged(files, states, ledger);
}

async function* fileGroups(
  sources: ResolvedSources,
  ledger: Ledger,
  options: TaskStreamOptions,
): AsyncGenerator<FileEntry[], void, undefined> {
  let group: FileEntry[] = [];
  const walk: WalkOptions = {
    ...options.walk,
    onIgnored: () => ledger.add({ filesIgnored: 1 }),
    ...((options.onFolder || sources.nested.size > 0) && {
      onFolder: ({ path, source }) => {
        if (sources.nested.has(source)) options.seen.enter(source);
        options.onFolder?.(path);
      },
    }),
  };
  for await (const entry of walkFolders(sources.roots, walk)) {
    if (options.signal?.aborted) return;
    ledger.add({ filesSeen: 1 });
    noteSeen(entry, options.seen);
    if (entry.kind === 'skipped') {
      ledger.add({ filesFailed: 1 });
      ledger.skip({ source: entry.source, error: entry.error });
      continue;
    }
    group.push(entry);
    if (group.length < FILES_PER_LOOKUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
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
      const skipped = block.skipped.map(({ line, error }) => ({
        source: `${file.source}:${line}`,
        file: file.source,
        error,
      }));
      const portions = linePortions(block.bytes, block.firstLine);
      for (const [i, { bytes, firstLine }] of portions.entries()) {
        const isLast = i === portions.length - 1;
        yield {
          kind: 'jsonl',
          file,
          bytes,
          firstLine,
          lastBlock: block.lastBlock && isLast,
          sourceBytes: isLast ? block.sourceBytes : 0,
          skipped: isLast ? skipped : [],
        };
      }
    }
  } catch (error) {
    if (signal?.aborted) return;
    ledger.add({ filesFailed: 1 });
    ledger.skip({ source: file.source, error: toErrorRecord(error, 'SLUICE_FILE_UNREADABLE') });
  }
}

/** Whole lines in portions of so many, each in a buffer of its own. One portion keeps the buffer that it has. */
function linePortions(bytes: Uint8Array, firstLine: number): { bytes: Uint8Array; firstLine: number }[] {
  const portions: { bytes: Uint8Array; firstLine: number }[] = [];
  // A buffer's own search is ten times as quick: a line may have 16 MiB.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = 0;
  let line = firstLine;
  let lines = 0;
  for (let end = buffer.indexOf(LF); end >= 0; end = buffer.indexOf(LF, end + 1)) {
    if (++lines < LINES_PER_TASK) continue;
    portions.push({ bytes: bytes.slice(from, end + 1), firstLine: line });
    from = end + 1;
    line += lines;
    lines = 0;
  }
  if (from === 0) return [{ bytes, firstLine }];
  if (from < bytes.length) portions.push({ bytes: bytes.slice(from), firstLine: line });
  return portions;
}
