import { setImmediate } from 'node:timers/promises';
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

/** The same filter where no document needs to have these fields: they are missing then, instead of unknown. */
export function withOptional(node: FilterNode, fields: ReadonlySet<string>): FilterNode {
  switch (node.kind) {
    case 'not':
      return { kind: 'not', node: withOptional(node.node, fields) };
    case 'field':
      return fields.has(node.field) ? { ...node, optional: true } : node;
    default:
      return { kind: node.kind, nodes: node.nodes.map((inner) => withOptional(inner, fields)) };
  }
}

/** A millisecond of encoding, more or less. */
const VALUES_A_PIECE = 4_000;

/**
 * What goes to the native index: equal texts mean equal filters. Undefined: the filter that everything passes. A list
 * of 100,000 values takes 25 ms: long ones are written piece by piece, and the caller's thread is free in between.
 */
export async function encodeFilter(node: FilterNode | undefined): Promise<string> {
  if (node === undefined) return '';
  return hasLongList(node) ? encodeInPieces(node) : JSON.stringify(node);
}

function hasLongList(node: FilterNode): boolean {
  if (node.kind === 'not') return hasLongList(node.node);
  if (node.kind !== 'field') return node.nodes.some(hasLongList);
  return 'values' in node.test && node.test.values.length > VALUES_A_PIECE;
}

async function encodeInPieces(node: FilterNode): Promise<string> {
  if (!hasLongList(node)) return JSON.stringify(node);
  if (node.kind === 'not') return `{"kind":"not","node":${await encodeInPieces(node.node)}}`;
  if (node.kind !== 'field') {
    const nodes: string[] = [];
    for (const inner of node.nodes) nodes.push(await encodeInPieces(inner));
    return `{"kind":"${node.kind}","nodes":[${nodes.join(',')}]}`;
  }
  const { values } = node.test as FieldTest & { values: readonly FilterScalar[] };
  const pieces: string[] = [];
  for (let from = 0; from < values.length; from += VALUES_A_PIECE) {
    pieces.push(JSON.stringify(values.slice(from, from + VALUES_A_PIECE)).slice(1, -1));
    await setImmediate();
  }
  const { kind, field, optional } = node;
  const list = `{"op":"${node.test.op}","values":[${pieces.join(',')}]}`;
  return `${JSON.stringify({ kind, field, optional }).slice(0, -1)},"test":${list}}`;
}
