import { SluiceError } from './errors.js';
import type { JsonValue, Metadata } from './model/document.js';
import { DOCUMENT_FIELDS, readings } from './store/index.js';

/**
 * A change of metadata as JSON. Fields are named as filters name them: 'author.name' is the key `author.name` where a
 * document has one, else the key `name` inside `author`. Filters tell null from missing, and so does this:
 *
 *     { set: { status: 'final', 'review.by': 'ada' } }    sets; objects on the way are made where they are missing
 *     { set: { reviewer: null } }                         sets null
 *     { unset: ['draft', 'review.note'] }                 removes the field
 */
export interface MetadataPatch {
  set?: Record<string, JsonValue>;
  unset?: string[];
}

/** Ways to read a dotted name double with each dot. */
const MAX_NAME_PARTS = 10;

/** @throws SLUICE_USAGE for anything but names and JSON values, and for a patch that changes nothing */
export function checkPatch(patch: unknown): asserts patch is MetadataPatch {
  if (!isObject(patch)) throw usage(`a patch must be an object, not ${String(patch)}`);
  for (const name of Object.keys(patch)) {
    if (name !== 'set' && name !== 'unset') throw usage(`a patch has no "${name}"`);
  }
  const { set = {}, unset = [] } = patch;
  if (!isObject(set)) throw usage('set must be an object of fields and values');
  if (!Array.isArray(unset)) throw usage('unset must be a list of fields');
  const names = [...Object.keys(set), ...unset];
  if (names.length === 0) throw usage('the patch changes nothing');
  for (const name of names) checkName(name);
  for (const [name, value] of Object.entries(set)) {
    if (!isJson(value)) throw usage(`"${name}" cannot be set to ${String(value)}: it is no JSON`);
  }
}

/**
 * The metadata with the patch applied, first `unset`, then `set`; what was given stays as it was.
 * @throws SLUICE_USAGE where a field lies inside something that is no object
 */
export function applyPatch(metadata: Metadata, { set = {}, unset = [] }: MetadataPatch): Metadata {
  let patched = metadata;
  for (const name of unset) for (const keys of readings(name)) patched = without(patched, keys);
  for (const [name, value] of Object.entries(set)) {
    const ways = readings(name);
    patched = withValue(patched, ways.find((keys) => has(patched, keys)) ?? ways.at(-1)!, value, name);
  }
  return patched;
}

function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string') throw usage(`a field is named by a string, not ${String(name)}`);
  if (DOCUMENT_FIELDS.includes(name)) throw usage(`"${name}" is of the document itself, not of its metadata`);
  if (name.split('.').length > MAX_NAME_PARTS) {
    throw usage(`the field "${name.slice(0, 80)}" has more than ${MAX_NAME_PARTS} parts`);
  }
}

function has(metadata: Metadata, [key, ...rest]: readonly string[]): boolean {
  if (!Object.hasOwn(metadata, key!)) return false;
  const value = metadata[key!];
  return rest.length === 0 || (isObject(value) && has(value as Metadata, rest));
}

function without(metadata: Metadata, keys: readonly string[]): Metadata {
  if (!has(metadata, keys)) return metadata;
  const [key, ...rest] = keys;
  const entries = Object.entries(metadata);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === key ? without(value as Metadata, rest) : value]),
  );
}

/** Object.fromEntries defines keys, where an assignment to `__proto__` would not. */
function withValue(
  metadata: Metadata,
  [key, ...rest]: readonly string[],
  value: JsonValue,
  name: string,
): Metadata {
  const old = Object.hasOwn(metadata, key!) ? metadata[key!] : undefined;
  if (rest.length > 0 && old !== undefined && !isObject(old)) {
    throw usage(`"${name}" cannot be set: "${key}" is ${JSON.stringify(old)?.slice(0, 80)}, not an object`);
  }
  const inner = rest.length === 0 ? value : withValue((old ?? {}) as Metadata, rest, value, name);
  const entries = Object.entries(metadata);
  const at = entries.findIndex(([other]) => other === key);
  entries.splice(at === -1 ? entries.length : at, at === -1 ? 0 : 1, [key!, inner]);
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson(value: unknown): value is JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isObject(value) && isPlain(value) && Object.values(value).every(isJson);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message, {
    hint: "write { set: { field: value }, unset: ['field'] }",
  });
}
