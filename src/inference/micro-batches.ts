import { type TextColumn, textCount } from '../model/text-column.js';

/** How much one worker message carries. */
export interface BatchLimits {
  rows: number;
  /** UTF-8 bytes; a single longer row goes alone. */
  bytes: number;
}

/**
 * About a thousand tokens, 100 ms of a small model on one core: long enough that the message costs nothing, short
 * enough that a query which waits for a core, or an abort, waits little.
 */
export const EMBED_BATCH: BatchLimits = { rows: 32, bytes: 4096 };
/** Smaller, so that the passages of one rerank spread evenly over the cores. */
export const SCORE_BATCH: BatchLimits = { rows: 4, bytes: 4096 };

/** Micro-batches as ranges of rows `[from, to)`, in input order. */
export function planBatches(texts: TextColumn, limits: BatchLimits): Array<[from: number, to: number]> {
  const rows = textCount(texts);
  const batches: Array<[number, number]> = [];
  let from = 0;
  for (let row = 1; row <= rows; row++) {
    const full = row - from === limits.rows;
    const over = row < rows && texts.offsets[row + 1]! - texts.offsets[from]! > limits.bytes;
    if (row === rows || full || over) {
      batches.push([from, row]);
      from = row;
    }
  }
  return batches;
}

const encoder = new TextEncoder();

/**
 * Rows [from, to), each after `prefix`, over buffers of their own that may be transferred, whatever the column's
 * buffers are: shared memory, a Node buffer inside a pool, or the caller's.
 */
export function copyRows(texts: TextColumn, from: number, to: number, prefix: string): TextColumn {
  const head = encoder.encode(prefix);
  const first = texts.offsets[from]!;
  const bytes = new Uint8Array(texts.offsets[to]! - first + head.length * (to - from));
  const offsets = new Uint32Array(to - from + 1);
  let at = 0;
  for (let row = from; row < to; row++) {
    bytes.set(head, at);
    const text = texts.bytes.subarray(texts.offsets[row]!, texts.offsets[row + 1]!);
    bytes.set(text, at + head.length);
    at += head.length + text.length;
    offsets[row - from + 1] = at;
  }
  return { bytes, offsets };
}
