/**
 * The filter expression, as data: the same for the library, the command line and later the server. docs/filters.md says
 * what each test does with each kind of value.
 *
 *     { lang: 'en' }                                      equality
 *     { year: { gte: 2020, lt: 2024 } }                   range on numbers
 *     { at: { gte: '2024-05-01' } }                       on ISO dates, in milliseconds; on other strings by code point
 *     { lang: ['en', 'de'] }                              any of a set; same as { in: [...] }
 *     { tags: { overlaps: ['a', 'b'] } }                  the array shares an element; { contains: [...] } needs all
 *     { reviewer: null }                                  explicitly null; { exists: false } is missing
 *     { path: { prefix: 'docs/' } }
 *     { as_of: '2024-05-01' }                             valid then, by valid_from and valid_until
 *     { and: [...] }, { or: [...] }, { not: {...} }
 *
 * Fields are paths into the metadata ('author.name'). Four fields of the document itself start with `$`:
 * `$id`, `$source`, `$title`, `$format`. All entries of one object must hold. Strings stay strings: '5' is not 5.
 * A scalar condition on an array field holds if any element does. A missing field fails every condition except
 * `{ exists: false }`, `ne` and `nin`. A Date stands for its ISO string.
 */
export type FilterScalar = string | number | boolean | null;

/** What may be written for a scalar. */
export type FilterValue = FilterScalar | Date;

export interface FilterCondition {
  eq?: FilterValue;
  ne?: FilterValue;
  in?: readonly FilterValue[];
  nin?: readonly FilterValue[];
  gt?: string | number | Date;
  gte?: string | number | Date;
  lt?: string | number | Date;
  lte?: string | number | Date;
  overlaps?: readonly FilterValue[];
  contains?: readonly FilterValue[];
  prefix?: string;
  exists?: boolean;
}

/** ISO date, or milliseconds since 1970; with names, the fields that say from when and until when a document is valid. */
export type AsOf = string | number | Date | { at: string | number | Date; from?: string; until?: string };

export type Filter =
  | { and: readonly Filter[] }
  | { or: readonly Filter[] }
  | { not: Filter }
  | { as_of: AsOf }
  | { [field: string]: FilterValue | readonly FilterValue[] | FilterCondition };
