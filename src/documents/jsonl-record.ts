import { SluiceError } from '../errors.js';
import type { Document, Metadata } from '../model/document.js';
import { cleanText, cleanTitle, toMetadata } from './clean.js';
import { readText } from './text.js';

const ID_KEYS = ['id', '_id', 'docid'] as const;
const TEXT_KEYS = ['text', 'contents', 'content', 'body'] as const;
/** Keys named in an error; a record may have thousands. */
const MAX_KEYS_NAMED = 12;

/**
 * The document of one JSONL record. Id: `id`, `_id` or `docid`, else `<source>:<line>`. Text: the first of `text`,
 * `contents`, `content` and `body` that is a string; a record that has a title only is its title. Metadata: the fields
 * of `metadata`, and all other top-level fields that are no objects.
 * @throws SLUICE_RECORD_INVALID, SLUICE_DOCUMENT_EMPTY
 */
export function recordDocument(record: Record<string, unknown>, source: string, line: number): Document {
  const textKey = TEXT_KEYS.find((key) => typeof record[key] === 'string');
  if (textKey === undefined) throw noText(record, source, line);
  const idKey = ID_KEYS.find((key) => typeof record[key] === 'string' || typeof record[key] === 'number');
  const title = typeof record.title === 'string' ? cleanTitle(record.title) : '';
  let text = cleanText(record[textKey] as string);
  if (text.trim() === '') text = title;
  if (text === '') {
    throw new SluiceError('SLUICE_DOCUMENT_EMPTY', `line ${line} of ${source} has neither text nor title`, {
      details: { source, line },
    });
  }
  const { sections, blocks } = readText(text);
  return {
    id: (idKey === undefined ? '' : idOf(record[idKey], source, line)) || `${source}:${line}`,
    source,
    title,
    format: 'jsonl',
    text,
    metadata: ofRecord(source, line, () =>
      metadataOf(record, new Set([idKey ?? '', textKey, typeof record.title === 'string' ? 'title' : ''])),
    ),
    sections,
    blocks,
  };
}

/** What is wrong with a record's metadata is told as the record's fault, with its line. */
function ofRecord(source: string, line: number, read: () => Metadata): Metadata {
  try {
    return read();
  } catch (error) {
    if (!SluiceError.is(error)) throw error;
    throw new SluiceError('SLUICE_RECORD_INVALID', `line ${line} of ${source}: ${error.message}`, {
      cause: error,
      details: { source, line },
    });
  }
}

function idOf(id: unknown, source: string, line: number): string {
  if (typeof id === 'string') return cleanText(id);
  if (Number.isInteger(id) && !Number.isSafeInteger(id)) {
    // Two such ids may be the same number once parsed, and one document would take the other's place.
    throw new SluiceError(
      'SLUICE_RECORD_INVALID',
      `line ${line} of ${source} has a number over 2^53 as its id`,
      {
        hint: 'write it as a string',
        details: { source, line },
      },
    );
  }
  return String(id);
}

function metadataOf(record: Record<string, unknown>, used: ReadonlySet<string>): Metadata {
  const { metadata } = record;
  const own = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  const others = Object.entries(record).filter(
    ([key, value]) =>
      !used.has(key) &&
      !(own && key === 'metadata') &&
      (typeof value !== 'object' || value === null || Array.isArray(value)),
  );
  return toMetadata({ ...Object.fromEntries(others), ...(own ? metadata : {}) });
}

function noText(record: Record<string, unknown>, source: string, line: number): SluiceError {
  const keys = Object.keys(record);
  const named = keys.slice(0, MAX_KEYS_NAMED).join(', ') + (keys.length > MAX_KEYS_NAMED ? ', …' : '');
  return new SluiceError(
    'SLUICE_RECORD_INVALID',
    `line ${line} of ${source} has no text: none of ${TEXT_KEYS.join(', ')} is a string (keys: ${named || 'none'})`,
    { details: { source, line, keys: keys.slice(0, MAX_KEYS_NAMED) } },
  );
}
