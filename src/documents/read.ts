import { readFile } from 'node:fs/promises';
import { SluiceError } from '../errors.js';
import {
  DOCUMENT_FORMATS,
  type Document,
  type DocumentFormat,
  type DocumentInput,
  type Metadata,
  type Provenance,
} from '../model/document.js';
import { baseName, cleanText, cleanTitle, extensionOf, toMetadata } from './clean.js';
import { decode } from './decode.js';
import { unreadableError } from './file-errors.js';
import { formatOf } from './formats.js';
import { PACKED_FORMATS } from './packed-formats.js';
import { parseText } from './parse.js';
import type { ParsedText } from './parsed.js';
import type { DocumentReader, ReadResult } from './reader.js';
import type { FileEntry } from './walk-entry.js';

export interface ReadOptions {
  /** Label of the Encoding Standard for files whose bytes don't tell their encoding: 'gbk', 'shift_jis'. */
  encoding?: string;
  /** Readers of the caller; the first that has a file's extension reads it. */
  readers?: readonly DocumentReader[];
  signal?: AbortSignal;
}

/**
 * Reads a file that the walk found. Parsing is synchronous: call it off the main thread for anything but small files.
 * @throws SLUICE_FILE_UNREADABLE, SLUICE_FILE_BINARY, SLUICE_FILE_ENCODING, SLUICE_DOCUMENT_EMPTY, SLUICE_ABORTED
 */
export async function readFileDocument(entry: FileEntry, options: ReadOptions = {}): Promise<Document> {
  if (entry.format === 'jsonl') {
    throw new SluiceError('SLUICE_USAGE', `${entry.source} holds many documents`, {
      hint: 'read it with jsonlBlocks and readJsonlBlock',
    });
  }
  const extension = extensionOf(entry.path);
  const given = options.readers?.find((candidate) => handles(candidate, extension));
  const reader = given ?? PACKED_FORMATS[entry.format];
  const bytes = await readBytes(entry, options.signal);
  const decoded = reader ? undefined : decode(bytes, decodeOptions(entry, options));
  const result = decoded ?? (await readWith(reader!, bytes, entry));
  const document = finish(result, {
    id: entry.source,
    format: reader?.format ?? entry.format,
    language: entry.language,
  });
  return withBroken(document, decoded?.broken);
}

/** Says that U+FFFD stand where bytes were no characters. */
function withBroken(document: Document, chars = 0): Document {
  if (chars === 0) return document;
  const dropped = { reason: 'bytes that are no characters', chars, isText: true };
  return { ...document, dropped: [...(document.dropped ?? []), dropped] };
}

const INPUT_FIELDS: ReadonlySet<string> = new Set(['id', 'text', 'title', 'format', 'metadata']);
/** Those that a text can have; packed ones are bytes. */
const FORMATS: ReadonlySet<DocumentFormat> = new Set(
  DOCUMENT_FORMATS.filter((format) => PACKED_FORMATS[format] === undefined),
);

/**
 * Makes a document of a text that the caller has; its structure is found by the reader of its format. The source is the
 * id; the title is the given one, else what the text calls itself, else the last part of the id; given metadata goes
 * before front matter. NULs become blanks and a byte order mark is dropped.
 * @throws SLUICE_USAGE for a wrong argument, SLUICE_DOCUMENT_EMPTY for a text of white space only
 */
export function makeDocument(input: DocumentInput): Document {
  const { id: given, text, title, metadata, format = 'text' } = input;
  if (typeof given !== 'string' || given === '')
    throw usage(`a document's id must be a string that is not empty`, given);
  // UTF-8 has no lone surrogates: stored as it is, the id could not be asked for again.
  const id = given.toWellFormed();
  if (typeof text !== 'string') throw usage(`the text of document "${id}" must be a string`, text);
  if (!FORMATS.has(format)) {
    throw usage(`the format of document "${id}" must be one of ${[...FORMATS].join(', ')}`, format);
  }
  if (title !== undefined && typeof title !== 'string')
    throw usage(`the title of document "${id}" must be a string`, title);
  if (
    metadata !== undefined &&
    (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
  ) {
    throw usage(`the metadata of document "${id}" must be an object`, metadata);
  }
  const unknown = Object.keys(input).find((name) => !INPUT_FIELDS.has(name));
  if (unknown !== undefined) {
    throw usage(`document "${id}" has a field that documents do not have; put it into metadata`, unknown);
  }
  const result: ReadResult = {
    text,
    ...(title === undefined ? {} : { title }),
    ...(metadata && { metadata }),
  };
  const language = format === 'code' ? formatOf(baseName(id))?.language : undefined;
  return finish(result, { id, format, language });
}

function usage(expected: string, actual: unknown): SluiceError {
  return new SluiceError('SLUICE_USAGE', `${expected}, not ${JSON.stringify(actual) ?? typeof actual}`);
}

interface Origin {
  readonly id: string;
  readonly format: Document['format'];
  readonly language: string | undefined;
}

function finish(result: ReadResult, origin: Origin): Document {
  const parsed: ParsedText = result.structure
    ? { ...result.structure, text: result.text, title: undefined, metadata: {} }
    : parseText(cleanText(result.text), origin.format, extensionOf(origin.id));
  if (parsed.text.trim() === '') {
    throw new SluiceError('SLUICE_DOCUMENT_EMPTY', `${origin.id} holds no text`, {
      details: { source: origin.id },
    });
  }
  const title = cleanTitle(result.title ?? '') || cleanTitle(parsed.title ?? '') || baseName(origin.id);
  const given: Metadata = result.metadata === undefined ? {} : toMetadata(result.metadata);
  return {
    id: origin.id,
    source: origin.id,
    title,
    format: origin.format,
    text: parsed.text,
    metadata: { ...parsed.metadata, ...given },
    sections: parsed.sections,
    blocks: parsed.blocks,
    ...provenanceOf(result.structure ? result : parsed),
    ...(origin.language === undefined ? {} : { language: origin.language }),
  };
}

function provenanceOf({ pages, rawLines, dropped }: Provenance): Provenance {
  return { ...(pages && { pages }), ...(rawLines && { rawLines }), ...(dropped && { dropped }) };
}

function handles(reader: DocumentReader, extension: string): boolean {
  return reader.extensions.some((own) => own.replace(/^\./, '').toLowerCase() === extension);
}

async function readBytes(entry: FileEntry, signal: AbortSignal | undefined): Promise<Uint8Array> {
  try {
    return await readFile(entry.path, signal ? { signal } : {});
  } catch (cause) {
    if (signal?.aborted) throw new SluiceError('SLUICE_ABORTED', 'the operation was aborted', { cause });
    throw unreadableError(entry.source, cause);
  }
}

async function readWith(reader: DocumentReader, bytes: Uint8Array, entry: FileEntry): Promise<ReadResult> {
  try {
    return await reader.read(bytes, entry);
  } catch (cause) {
    if (SluiceError.is(cause)) throw cause;
    throw unreadableError(
      entry.source,
      new Error(`the ${reader.name} reader failed: ${String(cause)}`, { cause }),
    );
  }
}

function decodeOptions(entry: FileEntry, options: ReadOptions) {
  return {
    source: entry.source,
    markup: entry.format === 'html' || entry.language === 'xml',
    ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
  };
}
