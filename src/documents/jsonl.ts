import { isUtf8 } from 'node:buffer';
import { SluiceError, toErrorRecord } from '../errors.js';
import type { Document } from '../model/document.js';
import type { RecordSkip } from './jsonl-blocks.js';
import { recordDocument } from './jsonl-record.js';

const LF = 10;

export interface JsonlBlockOrigin {
  /** Source of the file; becomes the source of the documents. */
  source: string;
  /** Line number of the block's first line, counted from 1. */
  firstLine: number;
}

export interface JsonlDocuments {
  documents: Document[];
  /** The line number of each document. */
  lines: number[];
  skipped: RecordSkip[];
}

/**
 * The documents of a block of JSONL, one a line. Blank lines count but are no records; what is wrong with a line is
 * reported with its number, and the rest goes on. Synchronous: about a second for 100 MB, so call it off the main
 * thread or in blocks of a few KiB.
 */
export function readJsonlBlock(bytes: Uint8Array, origin: JsonlBlockOrigin): JsonlDocuments {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const result: JsonlDocuments = { documents: [], lines: [], skipped: [] };
  let line = origin.firstLine;
  for (let from = 0; from < buffer.length; line++) {
    const lineEnd = buffer.indexOf(LF, from);
    const end = lineEnd < 0 ? buffer.length : lineEnd;
    try {
      const document = readLine(buffer.subarray(from, end), origin.source, line);
      if (document) {
        result.documents.push(document);
        result.lines.push(line);
      }
    } catch (error) {
      result.skipped.push({ line, error: toErrorRecord(error) });
    }
    from = end + 1;
  }
  return result;
}

function readLine(bytes: Buffer, source: string, line: number): Document | undefined {
  if (!isUtf8(bytes)) throw invalidRecord(source, line, 'is not UTF-8');
  let text = bytes.toString('utf8');
  if (line === 1 && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (text.trim() === '') return undefined;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (cause) {
    throw invalidRecord(source, line, `is not JSON: ${shorten((cause as Error).message)}`);
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw invalidRecord(source, line, 'is not a JSON object');
  }
  return recordDocument(record as Record<string, unknown>, source, line);
}

/** The engine quotes the line in its message, which may be long and private. */
function shorten(message: string): string {
  return message.replace(/, ?(?:\.\.\.)?".*$/s, '').slice(0, 200);
}

function invalidRecord(source: string, line: number, reason: string): SluiceError {
  return new SluiceError('SLUICE_RECORD_INVALID', `line ${line} of ${source} ${reason}`, {
    details: { source, line },
  });
}
