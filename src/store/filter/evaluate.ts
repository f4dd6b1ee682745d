import type { JsonValue, Metadata } from '../../model/document.js';
import type { FilterScalar } from '../../model/filter.js';
import { parseIsoDate } from './iso-date.js';
import type { CompareOperator, FieldTest, FilterNode } from './node.js';

/**
 * What a filter means, in plain TypeScript, document by document: the twin that the native index is tested against.
 */
export interface FilterSubject {
  id: string;
  source: string;
  title: string;
  format: string;
  /** As `JSON.parse` gives it. */
  metadata: Metadata;
}

/** Fields of the document itself. */
export const DOCUMENT_FIELDS: readonly string[] = ['$id', '$source', '$title', '$format'];

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
      return elements.some((element) => {
        const order = compareTo(test.value, element);
        return order !== undefined && IN_ORDER[test.op](order);
      });
  }
}

/** The scalars of an array, or the one scalar; strings as SQLite keeps them. */
export function elementsOf(value: JsonValue): FilterScalar[] {
  const elements = Array.isArray(value) ? value : [value];
  return elements
    .filter((element): element is FilterScalar => typeof element !== 'object' || element === null)
    .map((element) => (typeof element === 'string' ? element.toWellFormed() : element));
}

const IN_ORDER: Record<CompareOperator, (order: number) => boolean> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

/** Where an element lies relative to a bound; undefined where they are of different kinds. */
function compareTo(bound: string | number, element: FilterScalar): number | undefined {
  if (typeof bound === 'number') return typeof element === 'number' ? element - bound : undefined;
  if (typeof element !== 'string') return undefined;
  const moment = parseIsoDate(bound);
  if (moment === undefined) return compareCodePoints(element, bound);
  const ms = parseIsoDate(element);
  return ms === undefined ? undefined : ms - moment;
}

/** The order of code points, which is also that of UTF-8 bytes. */
export function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}
