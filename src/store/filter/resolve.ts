import { SluiceError } from '../../errors.js';
import type { Connection } from '../schema.js';
import { type CompiledFilter, compileFilter, DOCUMENT_FIELDS } from './compile.js';
import type { FilterNode } from './parse.js';
import { closest } from './suggest.js';

/** Names to choose suggestions from. */
const MAX_KNOWN_FIELDS = 10_000;

/** Compiles filters against the fields that the documents of an index have. */
export class FilterResolver {
  readonly #db: Connection;
  readonly #paths;

  constructor(db: Connection) {
    this.#db = db;
    this.#paths = db.prepare<[string], { path: string }>('SELECT path FROM metadata_fields WHERE name = ?');
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD; SLUICE_FILTER_INVALID where a filter is too large for SQLite */
  compile(node: FilterNode): CompiledFilter {
    return compileFilter(node, (field) => this.#pathsOf(field));
  }

  #pathsOf(field: string): string[] {
    const paths = this.#paths.all(field).map(({ path }) => path);
    if (paths.length > 0) return paths.sort(byPreference);
    const known = this.#db
      .prepare<[], string>(
        `SELECT DISTINCT name FROM metadata_fields ORDER BY count DESC LIMIT ${MAX_KNOWN_FIELDS}`,
      )
      .pluck()
      .all();
    const suggestions = closest(field, [...DOCUMENT_FIELDS, ...known]);
    const hint =
      suggestions.length > 0
        ? `did you mean ${suggestions.map((name) => `'${name}'`).join(' or ')}?`
        : `fields are ${[...DOCUMENT_FIELDS, ...known].slice(0, 20).join(', ')}`;
    throw new SluiceError('SLUICE_FILTER_UNKNOWN_FIELD', `no document has a field '${field}'`, {
      hint,
      details: { field, suggestions },
    });
  }
}

/** Fewest keys first, so that a literal key with dots wins; then the longest first key. */
function byPreference(a: string, b: string): number {
  const left = keysOf(a);
  const right = keysOf(b);
  if (left.length !== right.length) return left.length - right.length;
  for (let i = 0; i < left.length; i++) {
    if (left[i]!.length !== right[i]!.length) return right[i]!.length - left[i]!.length;
  }
  return 0;
}

/** `$."a.b"."c"` → ['a.b', 'c'] */
function keysOf(path: string): string[] {
  return [...path.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => JSON.parse(quoted) as string);
}
