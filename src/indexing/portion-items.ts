import type { ErrorRecord } from '../errors.js';
import type { PackedInput } from './given-documents.js';
import type { SkippedItem } from './ledger.js';
import type { PreparedFile, PrepareTask } from './prepare-task.js';

const LF = 10;

/** A portion of work as the items that it is made of: files, lines of JSONL, or documents. */
export interface PortionItems {
  readonly count: number;
  /** The items [from, to) as a portion of their own. All parts of a portion, in order, come to the same as the whole. */
  part(from: number, to: number): PrepareTask;
}

/** What a run is told of an item that it must do without. */
export interface LeftOut {
  skipped: SkippedItem[];
  files: PreparedFile[];
  recordsOf: string | null;
  bytes: number;
}

export function itemsOf(task: PrepareTask): PortionItems {
  switch (task.kind) {
    case 'files':
      return {
        count: task.files.length,
        part: (from, to) => ({ kind: 'files', files: task.files.slice(from, to) }),
      };
    case 'inputs':
      return {
        count: task.inputs.length,
        part: (from, to) => ({ kind: 'inputs', inputs: task.inputs.slice(from, to) }),
      };
    case 'jsonl':
      return linesOf(task);
  }
}

function linesOf(task: Extract<PrepareTask, { kind: 'jsonl' }>): PortionItems {
  const { bytes } = task;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = [0];
  for (let at = buffer.indexOf(LF); at >= 0 && at + 1 < buffer.length; at = buffer.indexOf(LF, at + 1))
    starts.push(at + 1);
  const count = starts.length;
  return {
    count,
    part(from, to) {
      const isLast = to === count;
      return {
        ...task,
        bytes: bytes.subarray(starts[from], starts[to] ?? bytes.length),
        firstLine: task.firstLine + from,
        lastBlock: task.lastBlock && isLast,
        sourceBytes: isLast ? task.sourceBytes : 0,
        skipped: isLast ? task.skipped : [],
      };
    },
  };
}

/** What the only item of a portion is called in reports. */
export function nameOf(task: PrepareTask): string {
  if (task.kind === 'files') return task.files[0]!.source;
  if (task.kind === 'jsonl') return `${task.file.source}:${task.firstLine}`;
  return idOf(task.inputs[0]!);
}

/** A run without the only item of this portion. */
export function leftOut(task: PrepareTask, error: ErrorRecord): LeftOut {
  const source = nameOf(task);
  if (task.kind === 'jsonl') {
    const { file } = task;
    return {
      skipped: [...task.skipped, { source, file: file.source, error }],
      files: task.lastBlock ? [{ file, error: null }] : [],
      recordsOf: file.source,
      bytes: task.sourceBytes,
    };
  }
  const files = task.kind === 'files' ? task.files.map((file) => ({ file, error })) : [];
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  return { skipped: [{ source, error }], files, recordsOf: null, bytes };
}

function idOf({ json }: PackedInput): string {
  return String((JSON.parse(json) as { id?: unknown }).id);
}
