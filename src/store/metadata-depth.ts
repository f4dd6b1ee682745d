import { SluiceError } from '../errors.js';
import type { JsonValue, Metadata } from '../model/document.js';

/** SQLite cannot read JSON that is nested deeper than 1,000, nor the native columns what is deeper than 500. */
const MAX_DEPTH = 200;

export function checkDepth(documentId: string, metadata: Metadata): void {
  if (!deeperThan(metadata, MAX_DEPTH)) return;
  throw new SluiceError(
    'SLUICE_RECORD_INVALID',
    `the metadata of '${documentId}' is nested deeper than ${MAX_DEPTH} levels`,
    { details: { id: documentId } },
  );
}

function deeperThan(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => deeperThan(inner, depth - 1));
}
