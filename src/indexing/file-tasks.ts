import { type FileEntry, jsonlBlocks } from '../documents/index.js';
import { toErrorRecord } from '../errors.js';
import type { Ledger } from './ledger.js';
import type { PrepareTask } from './prepare-task.js';

const FILES_PER_TASK = 32;
/** Text of one portion: a second or so of embedding on two cores, so progress is smooth and an abort is quick. */
export const TASK_BYTES = 64 * 1024;
/** Each is an object that the main thread is handed: a thousand tiny ones at once would hold it for milliseconds. */
const LINES_PER_TASK = 256;
const LF = 10;

export interface FileTaskOptions {
  signal?: AbortSignal | undefined;
  /** Called before the first task that brings records, whose ids are their own. */
  beforeIds?: () => Promise<void>;
}

/** Files in portions, in their order. Ends early, without an error, when the signal fires. */
export async function* fileTasks(
  files: AsyncIterable<FileEntry>,
  ledger: Ledger,
  options: FileTaskOptions,
): AsyncGenerator<PrepareTask, void, undefined> {
  const aborted = () => options.signal?.aborted === true;
  let pending: FileEntry[] = [];
  let pendingBytes = 0;
  for await (const file of files) {
    if (aborted()) return;
    if (file.format === 'jsonl') {
      await options.beforeIds?.();
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

/** Whole lines in portions of so many, which share a buffer. */
function linePortions(bytes: Uint8Array, firstLine: number): { bytes: Uint8Array; firstLine: number }[] {
  const portions: { bytes: Uint8Array; firstLine: number }[] = [];
  // A buffer's own search is ten times as quick: a line may have 16 MiB.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = 0;
  let line = firstLine;
  let lines = 0;
  for (let end = buffer.indexOf(LF); end >= 0; end = buffer.indexOf(LF, end + 1)) {
    if (++lines < LINES_PER_TASK) continue;
    portions.push({ bytes: bytes.subarray(from, end + 1), firstLine: line });
    from = end + 1;
    line += lines;
    lines = 0;
  }
  if (from === 0) return [{ bytes, firstLine }];
  if (from < bytes.length) portions.push({ bytes: bytes.subarray(from), firstLine: line });
  return portions;
}
