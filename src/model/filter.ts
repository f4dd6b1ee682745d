/**
 * The filter expression, as data: the same for the library, the command line and later the server.
 *
 *     { lang: 'en' }                                      equality
 *     { year: { gte: 2020, lt: 2024 } }                   range on numbers, or on ISO dates as strings
 *     { lang: ['en', 'de'] }                              any of a set; same as { in: [...] }
 *     { tags: { overlaps: ['a', 'b'] } }                  the array shares an element; { contains: [...] } needs all
 *     { reviewer: null }                                  explicitly null; { exists: false } is missing
 *     { path: { prefix: 'docs/' } }
 *     { and: [...] }, { or: [...] }, { not: {...} }
 *
 * Fields are paths into the metadata ('author.name'). Four fields of the document itself start with `$`:
 * `$id`, `$source`, `$title`, `$format`. All entries of one object must hold. Strings stay strings: '5' is not 5.
 * A scalar condition on an array field holds if any element does. A missing field fails every condition except
 * `{ exists: false }`, `ne` and `nin`.
 */
export type FilterScalar = string | number | boolean | null;

export interface FilterCondition {
  eq?: FilterScalar;
  ne?: FilterScalar;
  in?: FilterScalar[];
  nin?: FilterScalar[];
  gt?: string | number;
  gte?: string | number;
  lt?: string | number;
  lte?: string | number;
  overlaps?: FilterScalar[];
  contains?: FilterScalar[];
  prefix?: string;
  exists?: boolean;
}

export type Filter =
  | { and: Filter[] }
  | { or: Filter[] }
  | { not: Filter }
  | { [field: string]: FilterScalar | FilterScalar[] | FilterCondition };
