import { crc32 } from 'node:zlib';
import type { FileMetaData } from 'hyparquet';
import type { ExchangeChunk, ExchangeDocument } from './exchange.js';

/**
 * An export as a Parquet file: one row a chunk, with the columns of its document. A document without chunks has one row
 * without a chunk. The document's whole text stands in its first row only. `row_crc32` covers all the others.
 */

type SchemaElement = FileMetaData['schema'][number];

/** Key of the file's metadata: JSON with the header, the roots, the sources and the end, and its checksum beside it. */
export const META_KEY = 'sluice';
export const META_CHECKSUM_KEY = 'sluice.crc32';

/** A row as it is written and read; column names are those of the file. */
export interface ChunkRow {
  document_id: string;
  source: string;
  title: string;
  format: string;
  /** JSON. */
  metadata: string;
  content_hash: string;
  /** Null in all rows of a document but the first. */
  document_text: string | null;
  chunk_count: number;
  /** From 0 on; null in a row without a chunk, as are all columns below. */
  chunk_index: number | null;
  chunk_id: string | null;
  text: string | null;
  start: number | null;
  end: number | null;
  start_line: number | null;
  end_line: number | null;
  page: number | null;
  parent_start: number | null;
  parent_end: number | null;
  tokens: number | null;
  kind: string | null;
  heading_path: string | null;
  over_limit: boolean | null;
  embedding_hash: string | null;
  keywords: string | null;
  keywords_only: boolean | null;
  vector: number[] | null;
  row_crc32: number;
}

const string = (name: string, optional = true) =>
  leaf(name, 'BYTE_ARRAY', optional, { converted_type: 'UTF8' });
const unsigned = (name: string, optional = true) =>
  leaf(name, 'INT32', optional, { converted_type: 'UINT_32' });

function leaf(
  name: string,
  type: 'BYTE_ARRAY' | 'INT32' | 'FLOAT' | 'BOOLEAN',
  optional: boolean,
  more = {},
): SchemaElement {
  return { name, type, repetition_type: optional ? 'OPTIONAL' : 'REQUIRED', ...more };
}

const COLUMNS: SchemaElement[][] = [
  ...['document_id', 'source', 'title', 'format', 'metadata', 'content_hash'].map((name) => [
    string(name, false),
  ]),
  [string('document_text')],
  [unsigned('chunk_count', false)],
  [unsigned('chunk_index')],
  [string('chunk_id')],
  [string('text')],
  ...['start', 'end', 'start_line', 'end_line', 'page', 'parent_start', 'parent_end', 'tokens'].map(
    (name) => [unsigned(name)],
  ),
  [string('kind')],
  [string('heading_path')],
  [leaf('over_limit', 'BOOLEAN', true)],
  [string('embedding_hash')],
  [string('keywords')],
  [leaf('keywords_only', 'BOOLEAN', true)],
  [
    { name: 'vector', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    leaf('element', 'FLOAT', false),
  ],
  [unsigned('row_crc32', false)],
];

export const COLUMN_NAMES = COLUMNS.map(([column]) => column!.name as keyof ChunkRow);
export const PARQUET_SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: COLUMNS.length },
  ...COLUMNS.flat(),
];

export function* rowsOf(document: ExchangeDocument): Generator<ChunkRow> {
  const { chunks } = document;
  if (chunks.length === 0)
    yield sealed({ ...documentColumns(document), document_text: document.text, ...NO_CHUNK });
  for (const [index, chunk] of chunks.entries()) {
    const document_text = index === 0 ? document.text : null;
    const text = document.text.slice(chunk.start, chunk.end);
    yield sealed({ ...documentColumns(document), document_text, ...chunkColumns(chunk, index, text) });
  }
}

function documentColumns({ id, source, title, format, metadata, contentHash, chunks }: ExchangeDocument) {
  return {
    document_id: id,
    source,
    title,
    format,
    metadata: JSON.stringify(metadata),
    content_hash: contentHash,
    chunk_count: chunks.length,
  };
}

function chunkColumns(chunk: ExchangeChunk, index: number, text: string) {
  return {
    chunk_index: index,
    chunk_id: chunk.id,
    text,
    start: chunk.start,
    end: chunk.end,
    start_line: chunk.startLine,
    end_line: chunk.endLine,
    page: chunk.page,
    parent_start: chunk.parentStart,
    parent_end: chunk.parentEnd,
    tokens: chunk.tokens,
    kind: chunk.kind,
    heading_path: chunk.headingPath,
    over_limit: chunk.overLimit,
    embedding_hash: chunk.embeddingHash,
    keywords: chunk.keywords,
    keywords_only: chunk.keywordsOnly,
    vector: Array.from(chunk.vector),
  };
}

const NO_CHUNK = {
  chunk_index: null,
  chunk_id: null,
  text: null,
  start: null,
  end: null,
  start_line: null,
  end_line: null,
  page: null,
  parent_start: null,
  parent_end: null,
  tokens: null,
  kind: null,
  heading_path: null,
  over_limit: null,
  embedding_hash: null,
  keywords: null,
  keywords_only: null,
  vector: null,
};

function sealed(row: Omit<ChunkRow, 'row_crc32'>): ChunkRow {
  return { ...row, row_crc32: rowChecksum(row) };
}

/** Over all columns but the checksum itself, in the order of the schema; vectors by their bits. */
export function rowChecksum(row: Omit<ChunkRow, 'row_crc32'>): number {
  const values = COLUMN_NAMES.filter((name) => name !== 'vector' && name !== 'row_crc32').map(
    (name) => row[name as keyof typeof row] ?? null,
  );
  const sum = crc32(JSON.stringify(values));
  return row.vector == null ? sum : crc32(new Uint8Array(Float32Array.from(row.vector).buffer), sum);
}
