import { crc32 } from 'node:zlib';

export { textHash } from '../model/text-hash.js';

/**
 * Checksums of rows, CRC-32 of their values: what `verify` holds the database against. A value is preceded by its
 * length, so that no two rows give the same bytes.
 */
type Value = string | number | Uint8Array | null;

/** Columns of a document version, in this order, that its checksum covers. */
export const DOCUMENT_COLUMNS = [
  'body',
  'id',
  'source',
  'title',
  'format',
  'metadata',
  'content_hash',
  'first_label',
  'chunk_count',
  'token_count',
  'over_limit_count',
] as const;

/** Columns of a chunk, in this order, that the checksum of its body covers. */
export const CHUNK_COLUMNS = [
  'label',
  'chunk_id',
  'start',
  'end',
  'start_line',
  'end_line',
  'tokens',
  'kind',
  'heading_path',
  'over_limit',
  'page',
  'parent_start',
  'parent_end',
] as const;

/** @param values of DOCUMENT_COLUMNS */
export function documentChecksum(values: readonly Value[]): number {
  return rowChecksum(values, 0);
}

/** Over a body: its text, its chunks in the order of their labels, its keyword texts. Fed in that order. */
export class BodyChecksum {
  #sum = 0;

  /** @param utf8 of the whole text, in any number of pieces */
  text(utf8: Uint8Array): this {
    this.#sum = crc32(utf8, this.#sum);
    return this;
  }

  /** @param values of CHUNK_COLUMNS */
  chunk(values: readonly Value[]): this {
    this.#sum = rowChecksum(values, this.#sum);
    return this;
  }

  keywordTexts(data: Uint8Array): number {
    return crc32(data, this.#sum);
  }
}

/** @param data the blob as it is stored */
export function vectorChecksum(data: Uint8Array): number {
  return crc32(data);
}

function rowChecksum(values: readonly Value[], sum: number): number {
  return crc32(values.map(spelled).join(''), sum);
}

function spelled(value: Value): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
  return `${text.length}:${text}`;
}
