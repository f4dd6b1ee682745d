import { SluiceError } from '../../errors.js';
import { closest } from './suggest.js';

/** The words of the filter language, and how mistakes in it are reported. docs/filters.md is the long form. */

export const OPERATORS = [
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
] as const;

/** Of a place in a message. */
const MAX_PATH_UNITS = 80;

const GRAMMAR = [
  'write { field: value }, { field: [a, b] } or { field: { operator: value } } with the operators',
  `${OPERATORS.join(', ')}; combine with { and: [...] }, { or: [...] }, { not: {...} };`,
  "ask for a moment with { as_of: '2024-05-01' };",
  "example: { lang: 'en', year: { gte: 2020, lt: 2024 }, not: { tags: { overlaps: ['draft'] } } }",
].join(' ');

/** For who got the shape right and a name wrong. */
const GRAMMAR_IN_SHORT =
  "a filter is { field: value }, { field: [a, b] } or { field: { operator: value } }, combined by and, or and not: { lang: 'en', year: { gte: 2020 } }";

const MAX_LISTED_FIELDS = 20;

/** @param suggestions what may have been meant, the likeliest first */
export function invalid(path: string, problem: string, suggestions: readonly string[] = []): SluiceError {
  const shown = path.length > MAX_PATH_UNITS ? `…${path.slice(-MAX_PATH_UNITS)}` : path;
  const place = path === '' ? 'the filter' : `'${shown}' in the filter`;
  const meant = didYouMean(suggestions);
  return new SluiceError('SLUICE_FILTER_INVALID', `${place} ${problem}`, {
    hint: meant === undefined ? GRAMMAR : `${meant} ${GRAMMAR}`,
    details: { path, suggestions },
  });
}

/** @param known the fields of the metadata */
export function unknownField(field: string, known: readonly string[]): SluiceError {
  const suggestions = closest(field, known);
  return new SluiceError('SLUICE_FILTER_UNKNOWN_FIELD', `no document has a field '${field}'`, {
    hint: `${didYouMean(suggestions) ?? listed(known)} ${GRAMMAR_IN_SHORT}`,
    details: { field, suggestions },
  });
}

function listed(fields: readonly string[]): string {
  const more = fields.length - MAX_LISTED_FIELDS;
  const shown = fields.slice(0, MAX_LISTED_FIELDS).join(', ');
  return more > 0 ? `fields are ${shown} and ${more} more;` : `fields are ${shown};`;
}

function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `did you mean ${names.map((name) => `'${name}'`).join(' or ')}?`;
}

export function describe(value: unknown): string {
  if (value instanceof Date) return 'an invalid Date, or one outside the years 0 to 9999';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'bigint') return `the BigInt ${value}n (write a number, or a string)`;
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}
