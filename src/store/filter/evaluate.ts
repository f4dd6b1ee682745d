import type { JsonValue, Metadata } from '../../model/document.js';
import type { FilterScalar } from '../../model/filter.js';
import type { FieldTest, FilterNode } from './parse.js';

/**
 * What a filter means, in plain TypeScript: the twin that the SQL of compile.ts is tested against.
 */
export interface FilterSubject {
  id: string;
  source: string;
  title: string;
  format: string;
  metadata: Metadata;
}

export function evaluateFilter(node: FilterNode, subject: FilterSubject): boolean {
  switch (node.kind) {
    case 'all':
      return node.nodes.every((inner) => evaluateFilter(inner, subject));
    case 'any':
      return node.nodes.some((inner) => evaluateFilter(inner, subject));
    case 'not':
      return !evaluateFilter(node.node, subject);
    case 'field':
      return holds(node.test, fieldValue(node.field, subject));
  }
}

/** The value that a field names; undefined where it is missing. */
export function fieldValue(field: string, subject: FilterSubject): JsonValue | undefined {
  if (field === '$id') return subject.id;
  if (field === '$source') return subject.source;
  if (field === '$title') return subject.title;
  if (field === '$format') return subject.format;
  for (const keys of readings(field)) {
    const value = follow(subject.metadata, keys);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Ways to read a dotted name as keys: fewest keys first, then the longest first key. */
export function readings(field: string): string[][] {
  const parts = field.split('.');
  let found: string[][] = [[parts[0]!]];
  for (const part of parts.slice(1)) {
    found = found.flatMap((keys) => [
      [...keys.slice(0, -1), `${keys.at(-1)}.${part}`],
      [...keys, part],
    ]);
  }
  return found.sort((a, b) => a.length - b.length || compareKeys(a, b));
}

function compareKeys(a: string[], b: string[]): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i]!.length !== b[i]!.length) return b[i]!.length - a[i]!.length;
  }
  return 0;
}

function follow(metadata: Metadata, keys: string[]): JsonValue | undefined {
  let value: JsonValue | undefined = metadata;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function holds(test: FieldTest, value: JsonValue | undefined): boolean {
  if (test.op === 'exists') return (value !== undefined) === test.value;
  if (value === undefined) return false;
  const elements = elementsOf(value);
  switch (test.op) {
    case 'in':
      return elements.some((element) => test.values.includes(element));
    case 'contains':
      return test.values.every((wanted) => elements.includes(wanted));
    case 'prefix':
      return elements.some((element) => typeof element === 'string' && element.startsWith(test.value));
    default:
      return elements.some(
        (element) => typeof element === typeof test.value && compares(test, element as never),
      );
  }
}

export function elementsOf(value: JsonValue): FilterScalar[] {
  const elements = Array.isArray(value) ? value : [value];
  return elements.filter((element) => typeof element !== 'object' || element === null) as FilterScalar[];
}

function compares(test: FieldTest & { op: 'gt' | 'gte' | 'lt' | 'lte' }, element: string | number): boolean {
  const order = compareScalars(element, test.value);
  if (test.op === 'gt') return order > 0;
  if (test.op === 'gte') return order >= 0;
  return test.op === 'lt' ? order < 0 : order <= 0;
}

/** Strings by Unicode code point, which is also the order of their UTF-8 bytes. */
export function compareScalars(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}
