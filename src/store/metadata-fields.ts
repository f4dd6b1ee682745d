import { SluiceError } from '../errors.js';
import type { JsonValue, Metadata } from '../model/document.js';
import type { Connection } from './schema.js';

/**
 * Which fields the metadata of an index have: so that a filter on a field that no document has is an error instead of
 * an empty answer, and so that 'a.b' finds both the key 'a.b' and the key b inside a.
 */

/** SQLite cannot read JSON that is nested deeper than 1,000. */
const MAX_DEPTH = 200;

export interface MetadataField {
  /** JSON path of SQLite, e.g. `$."author"."name"`. */
  path: string;
  /** The keys joined by dots: what filters write. */
  name: string;
  keys: number;
}

/** Objects are fields and so is what they hold; arrays are leaves. */
export function fieldsOf(metadata: Metadata): MetadataField[] {
  const fields: MetadataField[] = [];
  const visit = (object: Metadata, path: string, name: string, keys: number) => {
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const field = { path: `${path}.${JSON.stringify(key)}`, name: name + key, keys };
      fields.push(field);
      if (isObject(value)) visit(value, field.path, `${field.name}.`, keys + 1);
    }
  };
  visit(metadata, '$', '', 1);
  return fields;
}

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

function isObject(value: JsonValue): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts fields over one commit, then writes each distinct one once. */
export class FieldCounts {
  readonly #changes = new Map<string, { field: MetadataField; change: number }>();

  add(metadata: Metadata, change: 1 | -1): void {
    for (const field of fieldsOf(metadata)) {
      const entry = this.#changes.get(field.path);
      if (entry) entry.change += change;
      else this.#changes.set(field.path, { field, change });
    }
  }

  write(db: Connection): void {
    const upsert = db.prepare(
      'INSERT INTO metadata_fields VALUES (@path, @name, @keys, @change) ON CONFLICT(path) DO UPDATE SET count = count + @change',
    );
    for (const { field, change } of this.#changes.values()) {
      if (change !== 0) upsert.run({ ...field, change });
    }
  }
}

/** Fields whose last document is gone; kept until a publish, because readers may still see that document. */
export function dropUnusedFields(db: Connection): void {
  db.prepare('DELETE FROM metadata_fields WHERE count <= 0').run();
}
