import { describe, invalid } from './grammar.js';
import { parseIsoDate } from './iso-date.js';
import type { FieldCondition, FieldTest, FilterNode } from './node.js';
import { closest } from './suggest.js';
import { isPlainObject, scalar } from './values.js';

/**
 * `{ as_of: moment }`: the document was valid then. It is what two fields say, of which one names the moment from which
 * on, and the other the moment from which on no more. Both may be missing or null, and hold ISO dates or milliseconds.
 */
const DEFAULT_FROM = 'valid_from';
const DEFAULT_UNTIL = 'valid_until';
const PARTS: readonly string[] = ['at', 'from', 'until'];

const YEAR_0_MS = new Date(0).setUTCFullYear(0, 0, 1);
const YEAR_10000_MS = Date.UTC(10_000, 0, 1);

interface Moment {
  iso: string;
  ms: number;
}

/** @param condition makes, and counts, a condition */
export function parseAsOf(
  value: unknown,
  path: string,
  condition: (field: string, test: FieldTest, path: string) => FieldCondition,
): FilterNode {
  const { at, from, until } = partsOf(value, path);
  const isNamed = isPlainObject(value);
  const moment = momentOf(at, isNamed ? `${path}.at` : path);
  const field = (name: string | undefined, otherwise: string, tests: FieldTest[]): FilterNode => ({
    kind: 'any',
    nodes: tests.map((test) => {
      const made = condition(name ?? otherwise, test, path);
      return name === undefined ? { ...made, optional: true } : made;
    }),
  });
  const open: FieldTest[] = [
    { op: 'exists', value: false },
    { op: 'in', values: [null] },
  ];
  return {
    kind: 'all',
    nodes: [
      field(from, DEFAULT_FROM, [...open, { op: 'lte', value: moment.iso }, { op: 'lte', value: moment.ms }]),
      field(until, DEFAULT_UNTIL, [...open, { op: 'gt', value: moment.iso }, { op: 'gt', value: moment.ms }]),
    ],
  };
}

function partsOf(value: unknown, path: string): { at: unknown; from?: string; until?: string } {
  if (!isPlainObject(value)) return { at: value };
  for (const key of Object.keys(value)) {
    if (!['at', 'from', 'until'].includes(key)) {
      throw invalid(
        `${path}.${key}`,
        "is no part of as_of, which has 'at', 'from' and 'until'",
        closest(key, PARTS),
      );
    }
  }
  return {
    at: value.at,
    ...('from' in value && { from: fieldName(value.from, `${path}.from`) }),
    ...('until' in value && { until: fieldName(value.until, `${path}.until`) }),
  };
}

function fieldName(value: unknown, path: string): string {
  if (typeof value === 'string') return value.toWellFormed();
  throw invalid(path, `must be the name of a field, not ${describe(value)}`);
}

function momentOf(value: unknown, path: string): Moment {
  const given = value instanceof Date ? scalar(value, path) : value;
  if (typeof given === 'string') {
    const ms = parseIsoDate(given);
    if (ms !== undefined) return { iso: given, ms };
    throw invalid(path, `must be an ISO date like 2024-05-01 or 2024-05-01T12:00Z, not '${given}'`);
  }
  if (Number.isSafeInteger(given) && (given as number) >= YEAR_0_MS && (given as number) < YEAR_10000_MS) {
    return { iso: new Date(given as number).toISOString(), ms: given as number };
  }
  throw invalid(path, `must be an ISO date or whole milliseconds since 1970, not ${describe(value)}`);
}
