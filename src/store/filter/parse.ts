import { parseAsOf } from './as-of.js';
import { describe, invalid, OPERATORS } from './grammar.js';
import type { FieldCondition, FieldTest, FilterNode } from './node.js';
import { closest } from './suggest.js';
import { asScalar, comparable, isPlainObject, scalar, scalars } from './values.js';

const MAX_DEPTH = 100;
/** Each costs a pass over a bit a document: this many take about 20 ms over a million documents. */
const MAX_CONDITIONS = 2_000;

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
    if (key === 'as_of') return parseAsOf(value, path, (...parts) => this.#condition(...parts));
    if (key !== 'and' && key !== 'or') return this.#field(key, value, path);
    if (!Array.isArray(value)) throw invalid(path, `must be an array of filters, not ${describe(value)}`);
    const nodes = Array.from(value, (item, i) => this.parse(item, `${path}[${i}]`, depth + 1));
    return { kind: key === 'and' ? 'all' : 'any', nodes };
  }

  #field(field: string, value: unknown, path: string): FilterNode {
    const single = asScalar(value);
    if (single !== undefined) return this.#condition(field, { op: 'in', values: [single] }, path);
    if (Array.isArray(value)) {
      checkNoCombiner(field, value, path);
      return this.#condition(field, { op: 'in', values: scalars(value, path) }, path);
    }
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
        return condition({ op: 'prefix', value: value.toWellFormed() });
      case 'exists':
        if (typeof value !== 'boolean') throw invalid(path, `must be true or false, not ${describe(value)}`);
        return condition({ op: 'exists', value });
      default:
        throw invalid(path, 'is no operator', closest(operator, OPERATORS));
    }
  }

  #condition(field: string, test: FieldTest, path: string): FieldCondition {
    if (++this.#conditions > MAX_CONDITIONS) {
      throw invalid(
        path,
        `is one condition too many: ${MAX_CONDITIONS} are allowed; use "in" for long lists`,
      );
    }
    return { kind: 'field', field: field.toWellFormed(), test };
  }
}

/** `$and`, `OR` and their like, as other filter languages write them, with filters inside. */
function checkNoCombiner(field: string, values: readonly unknown[], path: string): void {
  const meant = field.replace(/^\$/, '').toLowerCase();
  if ((meant === 'and' || meant === 'or') && values.some(isPlainObject)) {
    throw invalid(path, 'is no field with values', [meant]);
  }
}
