import type { FilterScalar } from '../../model/filter.js';
import { describe, invalid } from './grammar.js';
import { parseIsoDate } from './iso-date.js';

/** Values inside a filter, checked and in the form in which they are compared. */

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Strings are compared as they are stored, with U+FFFD for a lone surrogate; dates as ISO strings. */
export function asScalar(value: unknown): FilterScalar | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return value instanceof Date ? isoOf(value) : undefined;
}

export function scalar(value: unknown, path: string): FilterScalar {
  const found = asScalar(value);
  if (found !== undefined) return found;
  throw invalid(path, `must be a string, number, boolean or null, not ${describe(value)}`);
}

export function scalars(value: unknown, path: string): FilterScalar[] {
  if (!Array.isArray(value)) throw invalid(path, `must be an array, not ${describe(value)}`);
  const found = new Array<FilterScalar>(value.length);
  for (let i = 0; i < value.length; i++) found[i] = asScalar(value[i]) ?? scalar(value[i], `${path}[${i}]`);
  return found;
}

export function comparable(value: unknown, path: string): string | number {
  const found = asScalar(value);
  if (typeof found === 'string' || typeof found === 'number') return found;
  throw invalid(path, `must be a number, a string or a date, not ${describe(value)}`);
}

function isoOf(date: Date): string | undefined {
  const iso = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return parseIsoDate(iso) === undefined ? undefined : iso;
}
