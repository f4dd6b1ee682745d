import { SluiceError } from '../../errors.js';
import type { Metadata } from '../../model/document.js';
import type { Passport } from '../../model/passport.js';

/** What export files say, whatever their form: enough to make the same index again without any embedding. */

export const EXCHANGE_VERSION = 1;

export type ExportFormat = 'jsonl' | 'parquet';
/** How JSONL files hold vectors: base64 of little-endian float32, arrays of numbers, or not at all. */
export type ExportVectors = 'base64' | 'arrays' | 'none';

export interface ExchangeHeader {
  version: number;
  passport: Passport;
  /** Of the index that was exported. */
  generation: number;
  documents: number;
  chunks: number;
  vectors: ExportVectors;
}

/** Where a source's files lie, and what they were like when they were read: so that the next run finds what changed. */
export interface ExchangeRoot {
  name: string;
  path: string;
}

export interface ExchangeSource {
  source: string;
  size: number;
  mtimeMs: number;
  status: string;
  /** JSON of an error record, or null. */
  error: string | null;
}

export interface ExchangeChunk {
  /** Content-based; made again on import. */
  id: string;
  /** UTF-16 units of the document's text. */
  start: number;
  end: number;
  startLine: number;
  endLine: number;
  tokens: number;
  /** One of BLOCK_KIND_NAMES. */
  kind: string;
  headingPath: string;
  overLimit: boolean;
  /** Hex; null where it is not known. */
  embeddingHash: string | null;
  /** What the keyword index reads: `keywords`, followed by the chunk's text unless `keywordsOnly`. */
  keywords: string;
  keywordsOnly: boolean;
  vector: Float32Array;
}

export interface ExchangeDocument {
  id: string;
  source: string;
  title: string;
  format: string;
  metadata: Metadata;
  contentHash: string;
  text: string;
  chunks: ExchangeChunk[];
}

/** What a file of either form gives, one after another. */
export type ExchangeItem =
  | { root: ExchangeRoot }
  | { source: ExchangeSource }
  | { document: ExchangeDocument };

/** @param place 'line 7' or 'row 7' */
export function invalidExport(file: string, place: string, problem: string): SluiceError {
  return new SluiceError('SLUICE_EXPORT_INVALID', `${file}, ${place}: ${problem}`, {
    hint: 'export the index again; nothing was made of this file',
    details: { path: file, place },
  });
}

/** Whatever else the file may be. */
export function noExport(file: string): SluiceError {
  return new SluiceError('SLUICE_EXPORT_INVALID', `${file} is no export of an index`, {
    hint: `to index documents use: sluice index ${file}`,
    details: { path: file },
  });
}

/** @throws SLUICE_EXPORT_INVALID where a header is none of this release */
export function checkHeader(file: string, header: Partial<ExchangeHeader> | undefined): ExchangeHeader {
  if (header === undefined || typeof header !== 'object' || header.passport?.embedder === undefined)
    throw noExport(file);
  if (header.version !== EXCHANGE_VERSION)
    throw invalidExport(
      file,
      'line 1',
      `it has version ${header.version}, this release reads ${EXCHANGE_VERSION}`,
    );
  if (header.vectors === 'none' && header.chunks !== 0)
    throw new SluiceError(
      'SLUICE_EXPORT_INVALID',
      `${file} was exported without vectors (--vectors none), and an index cannot be made of it`,
      { hint: 'export the index again with --vectors base64, the default', details: { path: file } },
    );
  return header as ExchangeHeader;
}
