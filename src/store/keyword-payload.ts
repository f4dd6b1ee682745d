import { crc32 } from 'node:zlib';
import { SluiceError } from '../errors.js';
import type { NativeKeywordReader } from '../native/contract.js';
import { type Connection, lastLabel, readSetting } from './schema.js';

/**
 * Which state of the database a keyword index holds: its commit payload. tantivy's files have checksums, but none of
 * them says which files belong together; the chunks of a commit and the sum of their labels do.
 */
export interface KeywordPayload {
  /** The index that it belongs to. */
  index: string;
  generation: number;
  maxLabel: number;
  /** Live chunks, and the sum of their labels modulo 2^32. Payloads written before there were checks lack both. */
  chunks?: number;
  labelSum?: number;
  /** What the database knows this commit by; older releases wrote none. */
  mark?: string;
}

const UNCHECKED_FIELDS = 'generation,index,maxLabel';
const SUM_MODULUS = 2 ** 32;

/** What a keyword index of the newest generation holds. */
export function newestPayload(db: Connection, indexId: string, mark: string): KeywordPayload {
  const live = db
    .prepare<{ modulus: number }, { chunks: number; labelSum: number }>(
      `SELECT coalesce(sum(chunk_count), 0) AS chunks,
         coalesce(sum((chunk_count * first_label + chunk_count * (chunk_count - 1) / 2) % @modulus), 0) % @modulus
           AS labelSum
       FROM bodies WHERE died IS NULL`,
    )
    .get({ modulus: SUM_MODULUS })!;
  return {
    index: indexId,
    generation: readSetting<number>(db, 'generation')!,
    maxLabel: lastLabel(db),
    ...live,
    mark,
  };
}

export function spellPayload(payload: KeywordPayload): string {
  return JSON.stringify({ ...payload, crc32: checksumOf(payload) });
}

/**
 * What an open keyword index holds.
 * @returns undefined before the first commit, and for another index's
 * @throws SLUICE_INDEX_CORRUPT where the payload is damaged, or the files are not those of its commit
 */
export function heldBy(reader: NativeKeywordReader | undefined, indexId: string): KeywordPayload | undefined {
  if (!reader || reader.payload === '') return undefined;
  const payload = parsePayload(reader.payload);
  if (payload.index !== indexId) return undefined;
  const { documents, labelSum } = reader;
  if (payload.chunks !== undefined && (payload.chunks !== documents || payload.labelSum !== labelSum)) {
    throw damaged(`it holds ${documents} chunks that are not the ${payload.chunks} of its commit`);
  }
  return payload;
}

/** @throws SLUICE_INDEX_CORRUPT */
export function parsePayload(spelled: string): KeywordPayload {
  let parsed: KeywordPayload & { crc32?: number };
  try {
    parsed = JSON.parse(spelled);
  } catch {
    throw damaged('its commit payload is no JSON');
  }
  const { crc32: expected, ...payload } = parsed;
  const unchecked = Object.keys(parsed).sort().join() === UNCHECKED_FIELDS;
  if (!unchecked && expected !== checksumOf(payload))
    throw damaged('its commit payload is not what was written');
  if (!Number.isSafeInteger(payload.generation) || !Number.isSafeInteger(payload.maxLabel))
    throw damaged('its commit payload names no generation');
  return payload;
}

function checksumOf({ index, generation, maxLabel, chunks, labelSum, mark }: KeywordPayload): number {
  const marked = mark === undefined ? [] : [mark];
  return crc32(JSON.stringify([index, generation, maxLabel, chunks, labelSum, ...marked]));
}

function damaged(reason: string): SluiceError {
  return new SluiceError('SLUICE_INDEX_CORRUPT', `the keyword index is damaged: ${reason}`);
}
