import { crc32 } from 'node:zlib';
import { SluiceError } from '../../errors.js';
import type { Metadata } from '../../model/document.js';
import type { Passport } from '../../model/passport.js';
import type { Dials } from '../dials.js';

/** What export files say, whatever their form: enough to make the same index again without any embedding. */

export const EXCHANGE_VERSION = 2;

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
  /** Of the graph, and the form of stored vectors, as far as they were named. */
  dials?: Dials;
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
  page: number;
  parentStart: number;
  parentEnd: number;
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

/** How many of each stand in a file, so that one that is missing is missed. */
export interface ExchangeCounts {
  roots: number;
  sources: number;
  documents: number;
  chunks: number;
}

/** What a file says at its end about all that stands before. */
export interface ExchangeEnd extends ExchangeCounts {
  /** CRC-32 over the decimal checksums of all lines, or rows, before it, each followed by a line feed. */
  crc32: number;
}

/** Counts items, and sums up the checksums of lines or rows, while they are written or read. */
export class ExchangeTally {
  readonly counts: ExchangeCounts = { roots: 0, sources: 0, documents: 0, chunks: 0 };
  #crc32 = 0;

  add(item: ExchangeItem): void {
    if ('root' in item) this.counts.roots++;
    else if ('source' in item) this.counts.sources++;
    else {
      this.counts.documents++;
      this.counts.chunks += item.document.chunks.length;
    }
  }

  addChecksum(sum: number): void {
    this.#crc32 = crc32(`${sum}\n`, this.#crc32);
  }

  end(): ExchangeEnd {
    return { ...this.counts, crc32: this.#crc32 };
  }

  /** What keeps this from being what the file says at its end; undefined where nothing does. */
  problemWith(said: ExchangeEnd): string | undefined {
    const found = this.end();
    const names = ['roots', 'sources', 'documents', 'chunks'] as const;
    const spelled = (end: ExchangeEnd) => names.map((name) => `${end[name]} ${name}`).join(', ');
    if (names.some((name) => said[name] !== found[name]))
      return `it says ${spelled(said)}; the file holds ${spelled(found)}`;
    if (said.crc32 === found.crc32) return undefined;
    return 'what stands before it is not what was written, or not in that order';
  }
}

/**
 * @param place 'line 7' or 'row 7'
 * @param field path of the field that is wrong, as in the file; it is in `problem` already
 */
export function invalidExport(file: string, place: string, problem: string, field?: string): SluiceError {
  return new SluiceError('SLUICE_EXPORT_INVALID', `${file}, ${place}: ${problem}`, {
    hint: 'export the index again; nothing was made of this file',
    details: { path: file, place, ...(field !== undefined && { field }) },
  });
}

/** Whatever else the file may be. */
export function noExport(file: string): SluiceError {
  return new SluiceError('SLUICE_EXPORT_INVALID', `${file} is no export of an index`, {
    hint: `to index documents use: sluice index ${file}`,
    details: { path: file },
  });
}
