import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { SluiceError } from '../errors.js';

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/**
 * Streams the lines of a UTF-8 file, unpacking it if the name ends in `.gz`. LF and CRLF end a line; a byte order mark
 * is dropped. Throws SLUICE_NOT_FOUND, SLUICE_FILE_ENCODING for bytes that are not UTF-8, and SLUICE_FILE_UNREADABLE
 * for all else, a cut-off archive included.
 */
export async function* streamLines(path: string): AsyncGenerator<Line> {
  // A decoder that is not told to ignore a byte order mark drops it.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let rest = '';
  try {
    for await (const bytes of openBytes(path)) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield { number: ++number, text: withoutReturn(line) };
    }
    rest += decoder.decode();
  } catch (error) {
    throw readError(error, path, number + 1);
  }
  if (rest !== '') yield { number: ++number, text: withoutReturn(rest) };
}

function openBytes(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path);
  if (!path.endsWith('.gz')) return file;
  const unpacked = createGunzip();
  // pipe() doesn't hand errors on: without this a missing file would leave the reader waiting for ever.
  file.on('error', (error) => unpacked.destroy(error));
  // A reader that stops early would leave the file open.
  unpacked.on('close', () => file.destroy());
  return file.pipe(unpacked);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function readError(error: unknown, path: string, line: number): unknown {
  if (SluiceError.is(error) || !(error instanceof Error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const options = { cause: error, details: { path, line } };
  if (code === 'ENOENT') return new SluiceError('SLUICE_NOT_FOUND', `no such file: ${path}`, options);
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new SluiceError('SLUICE_FILE_ENCODING', `${path} is not UTF-8 near line ${line}`, options);
  }
  return new SluiceError(
    'SLUICE_FILE_UNREADABLE',
    `could not read ${path} near line ${line}: ${error.message}`,
    options,
  );
}
