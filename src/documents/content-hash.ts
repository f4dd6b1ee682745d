import { createHash } from 'node:crypto';
import type { Document, JsonValue } from '../model/document.js';

/**
 * SHA-256 in hex over what of a document shapes the index: title, format, metadata whatever the order of its keys,
 * text. Where it lies and when it was changed play no part.
 */
export function contentHash(document: Pick<Document, 'title' | 'format' | 'metadata' | 'text'>): string {
  const { title, format, metadata, text } = document;
  // JSON in front of the text has an end that can be told, so that no two documents give the same bytes.
  return createHash('sha256')
    .update(JSON.stringify([title, format, canonical(metadata)]))
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
