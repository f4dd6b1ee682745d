import type { FileEntry, WalkEntry, WalkOptions } from '../documents/index.js';
import { walkFolders } from '../documents/index.js';
import type { SourceState, StoreWriter } from '../model/store.js';
import { boundedMap } from './bounded-map.js';
import { fileTasks, TASK_BYTES } from './file-tasks.js';
import { givenPortions } from './given-documents.js';
import type { Ledger } from './ledger.js';
import type { PrepareTask } from './prepare-task.js';
import type { SeenSources } from './seen-sources.js';
import type { ResolvedSources } from './sources.js';

const FILES_PER_LOOKUP = 256;
const LOOKUPS_UNDER_WAY = 2;
const INPUTS_PER_TASK = 64;

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
  yield* fileTasks(changedFiles(sources, writer, ledger, options), ledger, options);
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
