import { SluiceError } from '../../errors.js';
import type { FilterScalar } from '../../model/filter.js';

/** A filter in the one form that compiling, evaluating and caching share. `ne` is `not` of `in`, as is `nin`. */
export type FilterNode =
  | { kind: 'all' | 'any'; nodes: FilterNode[] }
  | { kind: 'not'; node: FilterNode }
  | { kind: 'field'; field: string; test: FieldTest };

/** Each test but `exists` asks for elements: those of an array, or the one value itself. */
export type FieldTest =
  | { op: 'in' | 'contains'; values: FilterScalar[] }
  | { op: CompareOperator; value: string | number }
  | { op: 'prefix'; value: string }
  | { op: 'exists'; value: boolean };

export type CompareOperator = 'gt' | 'gte' | 'lt' | 'lte';

const OPERATORS = [
  'eq',
  'ne',
  'in',
  'nin',
  'gt',
  'gte',
  'lt',
  'lte',
  'overlaps',
  'contains',
  'prefix',
  'exists',
];

const MAX_DEPTH = 100;
/** SQLite's time for reading a statement grows with the square of its parameters. */
const MAX_CONDITIONS = 2_000;
/** Of a place in a message. */
const MAX_PATH_UNITS = 80;

const GRAMMAR = [
  'write { field: value }, { field: [a, b] } or { field: { operator: value } } with the operators',
  `${OPERATORS.join(', ')}; combine with { and: [...] }, { or: [...] }, { not: {...} };`,
  "example: { lang: 'en', year: { gte: 2020, lt: 2024 }, not: { tags: { overlaps: ['draft'] } } }",
].join(' ');

/** @throws SLUICE_FILTER_INVALID naming the place, with the grammar in the hint */
export function parseFilter(filter: unknown): FilterNode {
  return new FilterParser().parse(filter, '', 0);
}

/** Whether a filter lets everything pass whatever the documents are like: `{}`, or `{ and: [] }`. */
export function matchesEverything(node: FilterNode): boolean {
  switch (node.kind) {
    case 'all':
      return node.nodes.every(matchesEverything);
    case 'any':
      return node.nodes.some(matchesEverything);
    case 'not':
      return matchesNothing(node.node);
    case 'field':
      return false;
  }
}

function matchesNothing(node: FilterNode): boolean {
  switch (node.kind) {
    case 'all':
      return node.nodes.some(matchesNothing);
    case 'any':
      return node.nodes.every(matchesNothing);
    case 'not':
      return matchesEverything(node.node);
    case 'field':
      return node.test.op === 'in' && node.test.values.length === 0;
  }
}

class FilterParser {
  #conditions = 0;

  parse(filter: unknown, path: string, depth: number): FilterNode {
    if (depth > MAX_DEPTH) throw invalid(path, `is nested deeper than ${MAX_DEPTH} levels`);
    if (!isPlainObject(filter)) throw invalid(path, `must be an object, not ${describe(filter)}`);
    const nodes = Object.keys(filter)
      .sort()
      .map((key) => this.#entry(key, filter[key], path === '' ? key : `${path}.${key}`, depth));
    return nodes.length === 1 ? nodes[0]! : { kind: 'all', nodes };
  }

  #entry(key: string, value: unknown, path: string, depth: number): FilterNode {
    if (key === 'not') return { kind: 'not', node: this.parse(value, path, depth + 1) };
    if (key !== 'and' && key !== 'or') return this.#field(key, value, path);
    if (!Array.isArray(value)) throw invalid(path, `must be an array of filters, not ${describe(value)}`);
    const nodes = Array.from(value, (item, i) => this.parse(item, `${path}[${i}]`, depth + 1));
    return { kind: key === 'and' ? 'all' : 'any', nodes };
  }

  #field(field: string, value: unknown, path: string): FilterNode {
    if (isScalar(value)) return this.#condition(field, { op: 'in', values: [value] }, path);
    if (Array.isArray(value)) return this.#condition(field, { op: 'in', values: scalars(value, path) }, path);
    if (!isPlainObject(value)) throw invalid(path, `cannot be ${describe(value)}`);
    const operators = Object.keys(value).sort();
    if (operators.length === 0) throw invalid(path, 'has no operator');
    const nodes = operators.map((operator) =>
      this.#operator(field, operator, value[operator], `${path}.${operator}`),
    );
    return nodes.length === 1 ? nodes[0]! : { kind: 'all', nodes };
  }

  #operator(field: string, operator: string, value: unknown, path: string): FilterNode {
    const condition = (test: FieldTest) => this.#condition(field, test, path);
    const not = (node: FilterNode): FilterNode => ({ kind: 'not', node });
    switch (operator) {
      case 'eq':
        return condition({ op: 'in', values: [scalar(value, path)] });
      case 'ne':
        return not(condition({ op: 'in', values: [scalar(value, path)] }));
      case 'in':
      case 'overlaps':
        return condition({ op: 'in', values: scalars(value, path) });
      case 'nin':
        return not(condition({ op: 'in', values: scalars(value, path) }));
      case 'contains':
        return condition({ op: 'contains', values: scalars(value, path) });
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return condition({ op: operator, value: comparable(value, path) });
      case 'prefix':
        if (typeof value !== 'string') throw invalid(path, `must be a string, not ${describe(value)}`);
        return condition({ op: 'prefix', value });
      case 'exists':
        if (typeof value !== 'boolean') throw invalid(path, `must be true or false, not ${describe(value)}`);
        return condition({ op: 'exists', value });
      default:
        throw invalid(path, `is no operator`);
    }
  }

  #condition(field: string, test: FieldTest, path: string): FilterNode {
    if (++this.#conditions > MAX_CONDITIONS) {
      throw invalid(
        path,
        `is one condition too many: ${MAX_CONDITIONS} are allowed; use "in" for long lists`,
      );
    }
    return { kind: 'field', field, test };
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isScalar(value: unknown): value is FilterScalar {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function scalar(value: unknown, path: string): FilterScalar {
  if (!isScalar(value))
    throw invalid(path, `must be a string, number, boolean or null, not ${describe(value)}`);
  return value;
}

function scalars(value: unknown, path: string): FilterScalar[] {
  if (!Array.isArray(value)) throw invalid(path, `must be an array, not ${describe(value)}`);
  return Array.from(value, (item, i) => scalar(item, `${path}[${i}]`));
}

function comparable(value: unknown, path: string): string | number {
  if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw invalid(path, `must be a number or a string, not ${describe(value)}`);
}

function describe(value: unknown): string {
  if (value instanceof Date) return 'a Date (write it as an ISO string)';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

function invalid(path: string, problem: string): SluiceError {
  const shown = path.length > MAX_PATH_UNITS ? `…${path.slice(-MAX_PATH_UNITS)}` : path;
  const place = path === '' ? 'the filter' : `'${shown}' in the filter`;
  return new SluiceError('SLUICE_FILTER_INVALID', `${place} ${problem}`, {
    hint: GRAMMAR,
    details: { path },
  });
}
