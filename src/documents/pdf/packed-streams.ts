import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';

/** Most bytes that a stream of a file may unpack to; the text of a dense page has some hundred thousand. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** How many times that all large streams together may unpack to: counting them takes time. */
const MAX_TOTAL = 8;
/** The most that Deflate packs into one byte. */
const MAX_RATIO = 1032;
/** Where the dictionary of a stream is looked for, in bytes before it. */
const DICTIONARY_BYTES = 2048;

/**
 * Whether a stream other than an image unpacks to more than 256 MiB: the library unpacks streams whole, so a file of a
 * few megabytes could take all memory. Only streams that are large enough for it are unpacked here, in portions, and
 * nothing is kept. Costs a search through the bytes where there is none.
 */
export async function unpacksTooLarge(bytes: Uint8Array, maxBytes = MAX_UNPACKED_BYTES): Promise<boolean> {
  let total = 0;
  for (const { data, layers } of packedStreams(bytes)) {
    if (data.length * MAX_RATIO ** layers <= maxBytes) continue;
    total += await inflatedBytes(data, layers, maxBytes);
    if (total > MAX_TOTAL * maxBytes) return true;
  }
  return false;
}

interface PackedStream {
  readonly data: Uint8Array;
  /** How often it was packed. */
  readonly layers: number;
}

function* packedStreams(bytes: Uint8Array): Generator<PackedStream> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = 0;
  for (let at = buffer.indexOf('stream'); at >= 0; at = buffer.indexOf('stream', at + 6)) {
    if (buffer.toString('latin1', at - 3, at) === 'end') continue;
    const before = buffer.toString('latin1', Math.max(0, at - DICTIONARY_BYTES), at);
    const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
    const layers = dictionary.match(/\/Fl(?:ateDecode)?\b/g)?.length ?? 0;
    if (layers === 0 || /\/Subtype\s*\/Image\b/.test(dictionary)) continue;
    // Searched once: a file of many beginnings and no end must not be read again for each of them.
    if (end < at) end = endAfter(buffer, at);
    const start = at + 6 + (buffer[at + 6] === 13 ? 2 : 1);
    yield { data: buffer.subarray(start, end), layers };
  }
}

function endAfter(buffer: Buffer, at: number): number {
  const end = buffer.indexOf('endstream', at);
  return end < 0 ? buffer.length : end;
}

/** @returns bytes, counted up to `maxBytes`; infinity where there are more */
async function inflatedBytes(data: Uint8Array, layers: number, maxBytes: number): Promise<number> {
  let stream: Readable = Readable.from([data]);
  for (let layer = 0; layer < layers; layer++) stream = pipe(stream);
  let count = 0;
  try {
    for await (const chunk of stream) {
      count += (chunk as Uint8Array).length;
      if (count > maxBytes) return Number.POSITIVE_INFINITY;
    }
  } catch {
    // What is broken from here on is as large as that.
  }
  return count;
}

function pipe(from: Readable): Readable {
  const inflate = createInflate();
  from.on('error', (error) => inflate.destroy(error));
  return from.pipe(inflate);
}
