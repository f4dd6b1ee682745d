import type { Filter, FilterCondition } from '../model/filter.js';

/** Operators that a missing field passes, as the filter's grammar has it. */
const PASSED_BY_MISSING: readonly string[] = ['ne', 'nin'];

const EVERYTHING: Filter = { and: [] };
const NOTHING: Filter = { or: [] };

/**
 * What a filter means where no document has a field: the same filter without it. Several indexes are asked one
 * question, and a field that only some of them know is missing in the others, not a slip.
 */
export function withoutField(filter: Filter, field: string): Filter {
  const parts = Object.entries(filter).map(([key, value]): Filter => {
    if (key === 'and' || key === 'or') {
      return { [key]: (value as Filter[]).map((inner) => withoutField(inner, field)) } as Filter;
    }
    if (key === 'not') return { not: withoutField(value as Filter, field) };
    return key === field ? ofMissing(value) : ({ [key]: value } as Filter);
  });
  return parts.length === 1 ? parts[0]! : { and: parts };
}

function ofMissing(value: unknown): Filter {
  const isCondition = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isCondition) return NOTHING;
  const { exists, ...others } = value as FilterCondition;
  const passes =
    exists !== true && Object.keys(others).every((operator) => PASSED_BY_MISSING.includes(operator));
  return passes ? EVERYTHING : NOTHING;
}
