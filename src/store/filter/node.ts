import type { FilterScalar } from '../../model/filter.js';

/** A filter in the one form that the native index, its twin and the cache share. `ne` is `not` of `in`, as is `nin`. */
export type FilterNode =
  | { kind: 'all' | 'any'; nodes: FilterNode[] }
  | { kind: 'not'; node: FilterNode }
  | FieldCondition;

export interface FieldCondition {
  kind: 'field';
  field: string;
  /** No document needs to have the field: it is missing everywhere then, instead of unknown. */
  optional?: true;
  test: FieldTest;
}

/** Each test but `exists` asks for elements: those of an array, or the one value itself. */
export type FieldTest =
  | { op: 'in' | 'contains'; values: readonly FilterScalar[] }
  | { op: CompareOperator; value: string | number }
  | { op: 'prefix'; value: string }
  | { op: 'exists'; value: boolean };

export type CompareOperator = 'gt' | 'gte' | 'lt' | 'lte';

/** What goes to the native index: equal texts mean equal filters. Undefined: the filter that everything passes. */
export function encodeFilter(node: FilterNode | undefined): string {
  return node === undefined ? '' : JSON.stringify(node);
}
