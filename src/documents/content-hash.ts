import { createHash } from 'node:crypto';
import type { Document, JsonValue } from '../model/document.js';

/**
 * SHA-256 in hex over what of a document shapes the index: title, format, metadata whatever the order of its keys,
 * text, and the places in the file that its chunks are cited by. Where it lies and when it was changed play no part.
 */
export function contentHash(
  document: Pick<Document, 'title' | 'format' | 'metadata' | 'text' | 'pages' | 'rawLines'>,
): string {
  const { title, format, metadata, text, pages, rawLines } = document;
  const places = [pages, rawLines?.at, rawLines?.line, rawLines?.follows].map(
    (column) => column && [...column],
  );
  // JSON in front of the text has an end that can be told, so that no two documents give the same bytes.
  return createHash('sha256')
    .update(JSON.stringify([title, format, canonical(metadata), ...(pages || rawLines ? places : [])]))
    .update('\n')
    .update(text, 'utf8')
    .digest('hex');
}

/** The value with the keys of all objects sorted, as lists of pairs, which keep their order in JSON. */
function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return ['a', ...value.map(canonical)];
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return ['o', ...keys.map((key) => [key, canonical(value[key]!)])];
}
