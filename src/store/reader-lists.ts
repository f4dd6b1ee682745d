import type { DocumentFormat } from '../model/document.js';
import type { FilterScalar } from '../model/filter.js';
import type { DocumentCounts, DocumentPage, FacetValue } from '../model/store.js';
import { compareScalars, elementsOf, fieldValue } from './filter/evaluate.js';
import type { FilterNode } from './filter/parse.js';
import { FilterResolver } from './filter/resolve.js';
import { type Connection, VISIBLE } from './schema.js';

interface DocumentRow {
  id: string;
  source: string;
  title: string;
  format: DocumentFormat;
  metadata: string;
  chunks: number;
}

const COLUMNS = 'd.id, d.source, d.title, d.format, d.metadata, d.chunk_count AS chunks';
const KINDS = ['null', 'boolean', 'number', 'string'];

/** Counts and lists documents of one generation. Each answer is a pass over the documents. */
export class DocumentLists {
  readonly #db: Connection;
  readonly #resolver: FilterResolver;

  constructor(db: Connection) {
    this.#db = db;
    this.#resolver = new FilterResolver(db);
  }

  count(filter: FilterNode | undefined, generation: number): DocumentCounts {
    const select = 'count(*) AS documents, coalesce(sum(d.chunk_count), 0) AS chunks';
    const { sql, parameters } = this.#query(select, filter, generation);
    return this.#db.prepare<object, DocumentCounts>(sql).get(parameters)!;
  }

  list(
    filter: FilterNode | undefined,
    after: string | undefined,
    limit: number,
    generation: number,
  ): DocumentPage {
    const { sql, parameters } = this.#query(COLUMNS, filter, generation);
    const behind = after === undefined ? '' : 'AND d.id > @after';
    const rows = this.#db
      .prepare<object, DocumentRow>(`${sql} ${behind} ORDER BY d.id LIMIT @limit`)
      .all({ ...parameters, ...(after !== undefined && { after }), limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return {
      documents: shown.map((row) => ({ ...row, metadata: JSON.parse(row.metadata) })),
      next: rows.length > limit ? shown.at(-1)?.id : undefined,
    };
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD */
  facets(field: string, filter: FilterNode | undefined, limit: number, generation: number): FacetValue[] {
    this.#resolver.compile({ kind: 'field', field, test: { op: 'exists', value: true } });
    const { sql, parameters } = this.#query(COLUMNS, filter, generation);
    const found = new Map<FilterScalar, FacetValue>();
    for (const row of this.#db.prepare<object, DocumentRow>(sql).iterate(parameters)) {
      const value = fieldValue(field, { ...row, metadata: JSON.parse(row.metadata) });
      if (value === undefined) continue;
      for (const element of new Set(elementsOf(value))) {
        const facet = found.get(element) ?? { value: element, documents: 0, chunks: 0 };
        found.set(element, facet);
        facet.documents++;
        facet.chunks += row.chunks;
      }
    }
    return [...found.values()].sort(compareFacets).slice(0, limit);
  }

  #query(select: string, filter: FilterNode | undefined, generation: number) {
    const { sql, parameters } = filter ? this.#resolver.compile(filter) : { sql: '1', parameters: {} };
    return {
      sql: `SELECT ${select} FROM documents d WHERE ${VISIBLE} AND (${sql})`,
      parameters: { ...parameters, generation },
    };
  }
}

function compareFacets(a: FacetValue, b: FacetValue): number {
  return b.documents - a.documents || compareValues(a.value, b.value);
}

function compareValues(a: FilterScalar, b: FilterScalar): number {
  const byKind = KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b));
  if (byKind !== 0 || a === null || b === null) return byKind;
  return typeof a === 'boolean' || typeof b === 'boolean' ? Number(a) - Number(b) : compareScalars(a, b);
}

function kindOf(value: FilterScalar): string {
  return value === null ? 'null' : typeof value;
}
