import { SluiceError } from '../errors.js';
import type { JsonValue, Metadata } from '../model/document.js';

/** Deepest nesting of metadata; what goes deeper is refused, because JSON functions would run out of stack. */
const MAX_METADATA_DEPTH = 64;

/**
 * Makes a caller's text fit to be stored: without a byte order mark at its start, without NULs (each becomes a blank)
 * and without halves of surrogate pairs (each becomes U+FFFD, as it would in UTF-8). Only the mark changes the length.
 */
export function cleanText(text: string): string {
  let clean = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (clean.includes('\0')) clean = clean.replaceAll('\0', ' ');
  return wellFormed(clean);
}

/** A title as one line. */
export function cleanTitle(title: string): string {
  return cleanText(title).replace(/\s+/g, ' ').trim();
}

/** Part of the name after the last slash, its extension included. */
export function baseName(source: string): string {
  return source.slice(source.lastIndexOf('/') + 1);
}

/** Extension in lower case without the dot, '' if there is none; `.gitignore` has none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf('/') + 1 ? name.slice(dot + 1).toLowerCase() : '';
}

/**
 * Plain JSON out of whatever a parser or a caller gives: dates become ISO strings, bigints decimal strings, numbers
 * that JSON lacks null; functions, symbols and undefined are left out of objects and are null in arrays.
 * @throws SLUICE_USAGE if the values nest deeper than 64 levels, which cycles do
 */
export function toMetadata(value: object): Metadata {
  return toJsonObject(value, 0);
}

function toJson(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
      return wellFormed(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      return value.toString();
    case 'object':
      if (value === null) return null;
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
      if (Array.isArray(value)) return value.map((item) => toJson(item, deeper(depth)) ?? null);
      return toJsonObject(value, deeper(depth));
    default:
      return undefined;
  }
}

function toJsonObject(value: object, depth: number): Metadata {
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of value instanceof Map ? value : Object.entries(value)) {
    const json = toJson(item, depth);
    if (json !== undefined) entries.push([String(key), json]);
  }
  // fromEntries defines properties, so that a key `__proto__` is data and nothing else.
  return Object.fromEntries(entries);
}

function deeper(depth: number): number {
  if (depth < MAX_METADATA_DEPTH) return depth + 1;
  throw new SluiceError('SLUICE_USAGE', `metadata nests deeper than ${MAX_METADATA_DEPTH} levels`, {
    hint: 'flatten it, and make sure that it holds no cycle',
  });
}

/** Node 20 has these methods, the ES2023 types do not. */
type WellFormed = string & { isWellFormed(): boolean; toWellFormed(): string };

function wellFormed(text: string): string {
  return (text as WellFormed).isWellFormed() ? text : (text as WellFormed).toWellFormed();
}
