import { BLOCK_KIND_NAMES, DOCUMENT_FORMATS } from '../../model/document.js';
import { EMBEDDING_HASH_BYTES } from '../../model/document-record.js';
import { vectorTrouble } from '../../model/vector-length.js';
import { ChunkIds } from '../chunk-id.js';
import { checkDepth } from '../metadata-depth.js';
import type {
  ExchangeChunk,
  ExchangeDocument,
  ExchangeEnd,
  ExchangeRoot,
  ExchangeSource,
} from './exchange.js';
import {
  COUNT,
  checkField,
  checkFields,
  type FieldKind,
  FLAG,
  INTEGER,
  join,
  OBJECT,
  oneOf,
  orNull,
  TEXT,
  UINT32,
  WrongField,
} from './exchange-fields.js';

/** Holds what an export file says against what an index can be: each field, and fields against each other. */

const ROOT = { name: TEXT, path: TEXT };
const SOURCE = {
  source: TEXT,
  size: COUNT,
  mtimeMs: INTEGER,
  status: oneOf(['done', 'failed', 'partial']),
  error: orNull(TEXT),
};
const ERROR = { code: TEXT, message: TEXT, details: OBJECT };
const DOCUMENT = {
  id: TEXT,
  source: TEXT,
  title: TEXT,
  format: oneOf(DOCUMENT_FORMATS),
  metadata: OBJECT,
  contentHash: TEXT,
  text: TEXT,
};
const HASH: FieldKind = {
  wanted: `${2 * EMBEDDING_HASH_BYTES} hexadecimal digits`,
  fits: (value) => typeof value === 'string' && HASH_PATTERN.test(value),
};
const HASH_PATTERN = new RegExp(`^[0-9a-f]{${2 * EMBEDDING_HASH_BYTES}}$`);
const CHUNK = {
  id: TEXT,
  start: UINT32,
  end: UINT32,
  startLine: UINT32,
  endLine: UINT32,
  page: UINT32,
  parentStart: UINT32,
  parentEnd: UINT32,
  tokens: UINT32,
  kind: oneOf(BLOCK_KIND_NAMES),
  headingPath: TEXT,
  overLimit: FLAG,
  embeddingHash: orNull(HASH),
  keywords: TEXT,
  keywordsOnly: FLAG,
};
const END = { roots: COUNT, sources: COUNT, documents: COUNT, chunks: COUNT, crc32: UINT32 };

/** How a vector stands in a file. @throws WrongField */
export type VectorReader = (stored: unknown, field: string) => Float32Array;

/** @throws WrongField, as all of these */
export function checkRoot(value: unknown, path: string): ExchangeRoot {
  checkFields<ExchangeRoot>(value, path, ROOT);
  return value;
}

export function checkSource(value: unknown, path: string): ExchangeSource {
  checkFields<ExchangeSource>(value, path, SOURCE);
  if (value.error !== null) {
    const field = join(path, 'error');
    checkFields(parsedJson(value.error, field), field, ERROR);
  }
  return value;
}

/** Without its chunks. */
export function checkDocument(value: unknown, path: string): Omit<ExchangeDocument, 'chunks'> {
  checkFields<ExchangeDocument>(value, path, DOCUMENT);
  try {
    checkDepth(value.id, value.metadata);
  } catch (error) {
    throw new WrongField(join(path, 'metadata'), `cannot be kept: ${(error as Error).message}`);
  }
  const { id, source, title, format, metadata, contentHash, text } = value;
  return { id, source, title, format, metadata, contentHash, text };
}

export function checkEnd(value: unknown, path: string): ExchangeEnd {
  checkFields<ExchangeEnd>(value, path, END);
  return value;
}

/** @throws WrongField */
export function parsedJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WrongField(field, `is no JSON: ${(error as Error).message}`);
  }
}

/** Takes the chunks of one document in their order. */
export class ChunkChecker {
  readonly #text: string;
  readonly #ids: ChunkIds;
  readonly #readVector: VectorReader;
  #start = 0;

  constructor({ id, text }: { id: string; text: string }, readVector: VectorReader) {
    this.#text = text;
    this.#ids = new ChunkIds(id);
    this.#readVector = readVector;
  }

  /** @throws WrongField */
  next(value: unknown, path: string): ExchangeChunk {
    checkFields<ExchangeChunk>(value, path, CHUNK);
    const { id, start, end, startLine, endLine, parentStart, parentEnd } = value;
    const wrong = (field: string, problem: string) => new WrongField(join(path, field), problem);
    if (end > this.#text.length)
      throw wrong('end', `is ${end}, behind the document's text of ${this.#text.length} units`);
    if (start > end) throw wrong('start', `is ${start}, behind the chunk's end, ${end}`);
    if (start < this.#start)
      throw wrong('start', `is ${start}, and the chunk before it starts at ${this.#start}`);
    if (endLine < startLine) throw wrong('endLine', `is ${endLine}, before startLine, ${startLine}`);
    if (parentStart > start)
      throw wrong('parentStart', `is ${parentStart}, behind the chunk's start, ${start}`);
    if (parentEnd < end || parentEnd > this.#text.length)
      throw wrong('parentEnd', `is ${parentEnd}, not from the chunk's end, ${end}, to that of the text`);
    const expected = this.#ids.next(Buffer.from(this.#text.slice(start, end), 'utf8'));
    if (id !== expected)
      throw wrong('id', `is ${JSON.stringify(id)}, but a chunk of this text has ${expected}`);
    this.#start = start;
    return { ...value, vector: this.#readVector(value.vector, join(path, 'vector')) };
  }
}

const FLOAT_BYTES = 4;

export function vectorsAsBase64(dims: number): VectorReader {
  const bytes = dims * FLOAT_BYTES;
  return (stored, field) => {
    checkField(stored, field, TEXT);
    const decoded = Buffer.from(stored as string, 'base64');
    // Decoding passes over what is no base64.
    if (decoded.length !== bytes || decoded.toString('base64') !== stored)
      throw new WrongField(field, `is not the base64 of ${dims} float32 numbers`);
    return soundVector(new Float32Array(new Uint8Array(decoded).buffer), field);
  };
}

export function vectorsAsLists(dims: number): VectorReader {
  return (stored, field) => {
    const whole = Array.isArray(stored) && stored.length === dims;
    if (!whole || !stored.every((number) => typeof number === 'number'))
      throw new WrongField(field, `is no list of ${dims} numbers`);
    return soundVector(Float32Array.from(stored), field);
  };
}

function soundVector(vector: Float32Array, field: string): Float32Array {
  const trouble = vectorTrouble(vector);
  if (trouble !== undefined) throw new WrongField(field, trouble);
  return vector;
}
