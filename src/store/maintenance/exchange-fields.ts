/** What a field of an export must be, and the sentence for one that is something else. */

export interface FieldKind {
  /** Completes "… must be". */
  wanted: string;
  fits(value: unknown): boolean;
}

/** A value of an export is not what its place wants; whoever read it knows the line or row. */
export class WrongField extends Error {
  /** Path as in the file: 'document.chunks[2].start', or a column. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.field = field;
  }
}

const MAX_UINT32 = 0xffff_ffff;
const SHOWN_UNITS = 60;

/** UTF-8 has no lone surrogates, and offsets into a text would move with what stands for them there. */
export const TEXT: FieldKind = {
  wanted: 'a string without lone surrogates',
  fits: (value) => typeof value === 'string' && value.isWellFormed(),
};
export const COUNT: FieldKind = {
  wanted: 'a whole number of 0 or more',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
export const UINT32: FieldKind = {
  wanted: `a whole number from 0 to ${MAX_UINT32}`,
  fits: (value) => COUNT.fits(value) && (value as number) <= MAX_UINT32,
};
export const INTEGER: FieldKind = { wanted: 'a whole number', fits: Number.isSafeInteger };
export const FLAG: FieldKind = { wanted: 'true or false', fits: (value) => typeof value === 'boolean' };
export const OBJECT: FieldKind = {
  wanted: 'an object',
  fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
export const LIST: FieldKind = { wanted: 'a list', fits: Array.isArray };

export function oneOf(choices: readonly unknown[]): FieldKind {
  return { wanted: `one of ${choices.join(', ')}`, fits: (value) => choices.includes(value) };
}

export function within(least: number, most: number): FieldKind {
  return {
    wanted: `a whole number from ${least} to ${most}`,
    fits: (value) => INTEGER.fits(value) && (value as number) >= least && (value as number) <= most,
  };
}

export function orNull(kind: FieldKind): FieldKind {
  return { wanted: `${kind.wanted}, or null`, fits: (value) => value === null || kind.fits(value) };
}

export function listOf(kind: FieldKind): FieldKind {
  return {
    wanted: `a list, each item ${kind.wanted}`,
    fits: (value) => Array.isArray(value) && value.every((item) => kind.fits(item)),
  };
}

/** @throws WrongField */
export function checkField(value: unknown, field: string, kind: FieldKind): void {
  if (!kind.fits(value)) throw new WrongField(field, `${shown(value)}, and must be ${kind.wanted}`);
}

/** Fields beyond those named are left alone. @throws WrongField */
export function checkFields<T>(
  value: unknown,
  path: string,
  kinds: Readonly<Record<string, FieldKind>>,
): asserts value is T {
  checkField(value, path, OBJECT);
  const found = value as Record<string, unknown>;
  // What an object inherits is no field of the file.
  for (const [name, kind] of Object.entries(kinds))
    checkField(Object.hasOwn(found, name) ? found[name] : undefined, join(path, name), kind);
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (Array.isArray(value)) return `is a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'is an object';
  const spelled = typeof value === 'string' ? JSON.stringify(value.slice(0, SHOWN_UNITS)) : String(value);
  return `is ${spelled}`;
}
