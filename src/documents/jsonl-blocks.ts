import { createReadStream, type ReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { setImmediate as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { type ErrorRecord, SluiceError, throwIfAborted, toErrorRecord } from '../errors.js';
import { unreadableError } from './file-errors.js';
import { asUtf8 } from './utf8-stream.js';

/** Longest line, in bytes. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
export const DEFAULT_BLOCK_BYTES = 256 * 1024;

const LF = 10;
const READ_BYTES = 64 * 1024;
/** Bytes copied between two pauses: a fraction of a millisecond, page faults included. */
const COPY_STEP_BYTES = 1024 * 1024;

export interface RecordSkip {
  /** Counted from 1. */
  line: number;
  error: ErrorRecord;
}

export interface JsonlBlock {
  /** Whole lines in a buffer of their own, which threads can share; empty in the block of an empty file. */
  bytes: Uint8Array<SharedArrayBuffer>;
  /** Line number of the first line in the file, counted from 1. */
  firstLine: number;
  /** Nothing comes after it. */
  lastBlock: boolean;
  /** Lines before or between these that were too long to read. */
  skipped: RecordSkip[];
  /** Bytes of the file, as it lies on disk, that were read since the block before: for progress. */
  sourceBytes: number;
}

/** A block as it is cut, before anyone knows what it took to read it. */
type CutBlock = Omit<JsonlBlock, 'sourceBytes'>;

export interface JsonlBlockOptions {
  /** A block is cut at the first line end after so many bytes; default 256 KiB. */
  blockBytes?: number;
  /** Uncompress; default: by the ending `.gz` of the path. */
  gzip?: boolean;
  /** Named in errors; default the path. */
  source?: string;
  signal?: AbortSignal;
}

/**
 * Streams a JSONL file as blocks of whole lines in UTF-8; a file in UTF-16 is decoded on the way. No synchronous step takes longer than a fraction of a millisecond, and
 * memory holds two blocks and one line, at most 16 MiB; a longer line is reported and passed over.
 * @throws SLUICE_FILE_UNREADABLE also for broken gzip data, after the whole lines before it; SLUICE_ABORTED
 */
export async function* jsonlBlocks(
  path: string,
  options: JsonlBlockOptions = {},
): AsyncGenerator<JsonlBlock, void, void> {
  const { file, stream } = openStream(path, options.gzip ?? /\.gz$/i.test(path));
  let counted = 0;
  for await (const block of cutBlocks(stream, options.source ?? path, options)) {
    // Taken before the yield: while the caller works, the stream reads on.
    const read = file.bytesRead;
    yield { ...block, sourceBytes: read - counted };
    counted = read;
  }
}

async function* cutBlocks(
  stream: Readable,
  source: string,
  options: JsonlBlockOptions,
): AsyncGenerator<CutBlock, void, void> {
  const cutter = new BlockCutter(source, options.blockBytes ?? DEFAULT_BLOCK_BYTES);
  // One block is held back, because only the end of the file tells which one was the last.
  let held: CutBlock | undefined;
  try {
    for await (const chunk of asUtf8(stream as AsyncIterable<Buffer>)) {
      throwIfAborted(options.signal);
      for await (const block of cutter.add(chunk)) {
        if (held) yield held;
        held = block;
      }
    }
  } catch (cause) {
    throwIfAborted(options.signal);
    if (held) yield held;
    const whole = await cutter.wholeLines();
    if (whole.bytes.length > 0 || whole.skipped.length > 0) yield whole;
    throw unreadableError(source, cause);
  } finally {
    stream.destroy();
  }
  const last = await cutter.end();
  if (held && (last.bytes.length > 0 || last.skipped.length > 0)) yield held;
  else if (held) {
    yield { ...held, lastBlock: true };
    return;
  }
  yield last;
}

function openStream(path: string, gzip: boolean): { file: ReadStream; stream: Readable } {
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
  if (!gzip) return { file, stream: file };
  // The callback is only there because pipeline wants one: the error comes out of the loop over the stream.
  return { file, stream: pipeline(file, createGunzip({ chunkSize: READ_BYTES }), () => {}) };
}

/** Collects chunks of a file and cuts them into blocks after line ends. */
class BlockCutter {
  #whole: Buffer[] = [];
  #wholeBytes = 0;
  /** The line that has begun and not ended. */
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #passingOver = false;
  #nextLine = 1;
  #skipped: RecordSkip[] = [];

  constructor(
    readonly source: string,
    readonly blockBytes: number,
  ) {}

  async *add(chunk: Buffer): AsyncGenerator<CutBlock, void, void> {
    let rest = chunk;
    if (this.#passingOver) {
      const lineEnd = rest.indexOf(LF);
      if (lineEnd < 0) return;
      rest = rest.subarray(lineEnd + 1);
      this.#passingOver = false;
      this.#nextLine++;
    }
    const cut = rest.lastIndexOf(LF) + 1;
    if (cut > 0) this.#endLines(rest.subarray(0, cut));
    if (this.#wholeBytes >= this.blockBytes) yield await this.wholeLines();
    if (cut < rest.length) {
      this.#partial.push(rest.subarray(cut));
      this.#partialBytes += rest.length - cut;
    }
    if (this.#partialBytes > MAX_LINE_BYTES) {
      if (this.#wholeBytes > 0) yield await this.wholeLines();
      this.#passOver();
    }
  }

  /** What is left, as the last block. */
  async end(): Promise<CutBlock> {
    this.#endLines(Buffer.alloc(0));
    return { ...(await this.wholeLines()), lastBlock: true };
  }

  /** The partial line and these bytes, which end in a line end, are whole lines. */
  #endLines(bytes: Buffer): void {
    this.#whole.push(...this.#partial, bytes);
    this.#wholeBytes += this.#partialBytes + bytes.length;
    this.#partial = [];
    this.#partialBytes = 0;
  }

  #passOver(): void {
    this.#partial = [];
    this.#partialBytes = 0;
    this.#passingOver = true;
    const line = this.#nextLine;
    const error = new SluiceError(
      'SLUICE_RECORD_INVALID',
      `line ${line} of ${this.source} is longer than ${MAX_LINE_BYTES} bytes`,
      { hint: 'split the record', details: { source: this.source, line, limit: MAX_LINE_BYTES } },
    );
    this.#skipped.push({ line, error: toErrorRecord(error) });
  }

  /** The whole lines that have come and were in no block. */
  async wholeLines(): Promise<CutBlock> {
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#wholeBytes));
    let at = 0;
    let lines = 0;
    let copied = 0;
    for (const part of this.#whole) {
      bytes.set(part, at);
      at += part.length;
      for (let end = part.indexOf(LF); end >= 0; end = part.indexOf(LF, end + 1)) lines++;
      copied += part.length;
      if (copied >= COPY_STEP_BYTES) {
        copied = 0;
        await pause();
      }
    }
    const block: CutBlock = {
      bytes,
      firstLine: this.#nextLine,
      lastBlock: false,
      skipped: this.#skipped,
    };
    this.#nextLine += lines;
    this.#whole = [];
    this.#wholeBytes = 0;
    this.#skipped = [];
    return block;
  }
}
