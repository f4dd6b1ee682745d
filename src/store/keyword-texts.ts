import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type TextColumn, textCount } from '../model/text-column.js';

/**
 * The keyword rows of one document, kept so that the keyword index can be built again from SQLite alone. Most rows end
 * with the chunk's own text, which is stored already: of those only what stands before it is kept.
 *
 *     deflate( rest length << 1 | ends with the chunk, uint32 LE, a row each │ rest bytes, one after another )
 */
const SPEED = { level: 1 };

/** @param slices UTF-8 of the chunks' own text, a row each */
export function encodeKeywordTexts(column: TextColumn, slices: readonly Buffer[]): Buffer {
  const rows = textCount(column);
  const head = Buffer.alloc(rows * 4);
  const rests: Buffer[] = [head];
  for (let row = 0; row < rows; row++) {
    const text = bytesAt(column, row);
    const slice = slices[row]!;
    const restBytes = text.length - slice.length;
    const endsWithSlice = restBytes >= 0 && text.subarray(restBytes).equals(slice);
    const rest = endsWithSlice ? text.subarray(0, restBytes) : text;
    head.writeUInt32LE(rest.length * 2 + (endsWithSlice ? 1 : 0), row * 4);
    rests.push(rest);
  }
  return deflateRawSync(Buffer.concat(rests), SPEED);
}

/** The rows of a blob, put together again one after another. */
export class KeywordTexts {
  readonly #bytes: Buffer;
  #row = 0;
  #at: number;

  /** @throws RangeError where the blob does not hold that many rows, or is no deflated data */
  constructor(data: Uint8Array, rows: number) {
    this.#bytes = inflated(data);
    this.#at = rows * 4;
    let bytes = this.#at;
    for (let row = 0; row < rows && bytes <= this.#bytes.length; row++)
      bytes += this.#bytes.readUInt32LE(row * 4) >>> 1;
    if (bytes !== this.#bytes.length)
      throw new RangeError(`the keyword texts are not those of ${rows} chunks`);
  }

  /** The next row, in order. */
  next(slice: () => Buffer): Buffer {
    const { rest, endsWithSlice } = this.nextRest();
    return endsWithSlice ? Buffer.concat([rest, slice()]) : rest;
  }

  /** What is kept of the next row: all of it, or what stands before the chunk's own text. */
  nextRest(): { rest: Buffer; endsWithSlice: boolean } {
    const entry = this.#bytes.readUInt32LE(this.#row++ * 4);
    const rest = this.#bytes.subarray(this.#at, this.#at + (entry >>> 1));
    this.#at += rest.length;
    return { rest, endsWithSlice: (entry & 1) === 1 };
  }
}

function inflated(data: Uint8Array): Buffer {
  try {
    return inflateRawSync(data);
  } catch (cause) {
    throw new RangeError(`the keyword texts cannot be unpacked: ${(cause as Error).message}`, { cause });
  }
}

function bytesAt(column: TextColumn, row: number): Buffer {
  const { bytes, offsets } = column;
  return Buffer.from(bytes.buffer, bytes.byteOffset + offsets[row]!, offsets[row + 1]! - offsets[row]!);
}
