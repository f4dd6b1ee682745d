import type { FilterScalar } from '../../model/filter.js';
import type { CompareOperator, FieldTest, FilterNode } from './parse.js';

/**
 * Filter → SQL condition over a row `d` of documents. Every value, name and path is a bound parameter; the text is
 * made of constants only. Conditions are 0 or 1, never NULL, so that `NOT` is an exact negation.
 */
export interface CompiledFilter {
  sql: string;
  parameters: Record<string, string | number>;
}

const COLUMNS = new Map([
  ['$id', 'd.id'],
  ['$source', 'd.source'],
  ['$title', 'd.title'],
  ['$format', 'd.format'],
]);

export const DOCUMENT_FIELDS = [...COLUMNS.keys()];

const COMPARISONS: Record<CompareOperator, string> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** SQL expressions for one JSON scalar, as json_each and json_type give it: true is 1 of type 'true'. */
interface Operand {
  type: string;
  value: string;
}

/** @param pathsOf JSON paths that a field may mean, in order of preference; never empty */
export function compileFilter(
  node: FilterNode,
  pathsOf: (field: string) => readonly string[],
): CompiledFilter {
  const compiler = new FilterCompiler(pathsOf);
  return { sql: compiler.node(node), parameters: compiler.parameters };
}

class FilterCompiler {
  readonly parameters: Record<string, string | number> = {};
  readonly #pathsOf: (field: string) => readonly string[];
  readonly #paths = new Map<string, string>();
  #count = 0;

  constructor(pathsOf: (field: string) => readonly string[]) {
    this.#pathsOf = pathsOf;
  }

  node(node: FilterNode): string {
    switch (node.kind) {
      case 'all':
        return joinBalanced(
          node.nodes.map((inner) => this.node(inner)),
          'AND',
          '1',
        );
      case 'any':
        return joinBalanced(
          node.nodes.map((inner) => this.node(inner)),
          'OR',
          '0',
        );
      case 'not':
        return `NOT (${this.node(node.node)})`;
      case 'field':
        return this.#field(node.field, node.test);
    }
  }

  #field(field: string, test: FieldTest): string {
    const column = COLUMNS.get(field);
    if (column !== undefined) return this.#test(test, `json_quote(${column})`, "'$'");
    const paths = this.#pathsOf(field).map((path) => this.#path(path));
    const last = this.#test(test, 'd.metadata', paths.pop()!);
    if (paths.length === 0) return last;
    const cases = paths.map(
      (path) =>
        `WHEN json_type(d.metadata, ${path}) IS NOT NULL THEN ${this.#test(test, 'd.metadata', path)}`,
    );
    return `(CASE ${cases.join(' ')} ELSE ${last} END)`;
  }

  #test(test: FieldTest, json: string, path: string): string {
    switch (test.op) {
      case 'exists':
        return `(json_type(${json}, ${path}) IS ${test.value ? 'NOT ' : ''}NULL)`;
      case 'contains':
        return containsAll(json, path, this.#bind(JSON.stringify(test.values)));
      case 'in':
        return anyElement(json, path, this.#oneOf(test.values));
      case 'prefix': {
        const prefix = this.#bind(test.value);
        return anyElement(
          json,
          path,
          ({ type, value }) => `${type} = 'text' AND instr(${value}, ${prefix}) = 1`,
        );
      }
      default: {
        const bound = this.#bind(test.value);
        const ofType = typeof test.value === 'number' ? "IN ('integer', 'real')" : "= 'text'";
        const comparison = COMPARISONS[test.op];
        return anyElement(
          json,
          path,
          ({ type, value }) => `${type} ${ofType} AND ${value} ${comparison} ${bound}`,
        );
      }
    }
  }

  /** Sorts the values by type, because SQLite would take true for 1. */
  #oneOf(values: readonly FilterScalar[]): (operand: Operand) => string {
    const strings = this.#setOf(values.filter((value) => typeof value === 'string'));
    const numbers = this.#setOf(values.filter((value) => typeof value === 'number'));
    const types = [true, false, null].filter((value) => values.includes(value)).map((value) => `'${value}'`);
    return ({ type, value }) => {
      const ways: string[] = [];
      if (strings) ways.push(`(${type} = 'text' AND ${value} ${strings})`);
      if (numbers) ways.push(`(${type} IN ('integer', 'real') AND ${value} ${numbers})`);
      if (types.length > 0) ways.push(`${type} IN (${types.join(', ')})`);
      return ways.length === 0 ? '0' : ways.join(' OR ');
    };
  }

  /** A long list is one parameter: SQLite reads it once, into an index. */
  #setOf(values: readonly (string | number)[]): string | undefined {
    if (values.length === 0) return undefined;
    if (values.length === 1) return `= ${this.#bind(values[0]!)}`;
    return `IN (SELECT s.value FROM json_each(${this.#bind(JSON.stringify(values))}) s)`;
  }

  #path(path: string): string {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const name = this.#bind(path);
    this.#paths.set(path, name);
    return name;
  }

  #bind(value: string | number): string {
    const name = `f${this.#count++}`;
    this.parameters[name] = value;
    return `@${name}`;
  }
}

/** An element of the array, or the one scalar, passes; objects have no elements. */
function anyElement(json: string, path: string, passes: (operand: Operand) => string): string {
  const scalar = { type: `json_type(${json}, ${path})`, value: `json_extract(${json}, ${path})` };
  return `(CASE json_type(${json}, ${path})
    WHEN 'array' THEN EXISTS (
      SELECT 1 FROM json_each(${json}, ${path}) e WHERE ${passes({ type: 'e.type', value: 'e.value' })})
    WHEN 'object' THEN 0
    ELSE (${passes(scalar)}) IS TRUE END)`;
}

/** No wanted value is missing among the elements. */
function containsAll(json: string, path: string, wanted: string): string {
  const kind = (type: string) => `replace(${type}, 'integer', 'real')`;
  return `(json_type(${json}, ${path}) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM json_each(${wanted}) w WHERE NOT EXISTS (
      SELECT 1 FROM json_each(${json}, ${path}) e
      WHERE json_type(${json}, ${path}) <> 'object' AND ${kind('e.type')} = ${kind('w.type')} AND e.value IS w.value)))`;
}

/** A long chain of AND or OR would be as deep as it is long, and SQLite's trees may be 1,000 deep. */
function joinBalanced(parts: readonly string[], operator: 'AND' | 'OR', ofNone: string): string {
  if (parts.length === 0) return ofNone;
  if (parts.length === 1) return parts[0]!;
  const middle = parts.length >> 1;
  const left = joinBalanced(parts.slice(0, middle), operator, ofNone);
  return `(${left} ${operator} ${joinBalanced(parts.slice(middle), operator, ofNone)})`;
}
