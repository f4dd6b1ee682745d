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

  constructor(data: Uint8Array, rows: number) {
    this.#bytes = inflateRawSync(data);
    this.#at = rows * 4;
  }

  /** The next row, in order. */
  next(slice: () => Buffer): Buffer {
    const entry = this.#bytes.readUInt32LE(this.#row++ * 4);
    const rest = this.#bytes.subarray(this.#at, this.#at + (entry >>> 1));
    this.#at += rest.length;
    return entry & 1 ? Buffer.concat([rest, slice()]) : rest;
  }
}

function bytesAt(column: TextColumn, row: number): Buffer {
  const { bytes, offsets } = column;
  return Buffer.from(bytes.buffer, bytes.byteOffset + offsets[row]!, offsets[row + 1]! - offsets[row]!);
}
