import type { ResolvedStoreOptions, StoreOptions } from './options.js';
import { type Connection, readSetting, writeSetting } from './schema.js';

/** Dials that shape what is written, and stay as they were set until a writer is opened with others. */
const NAMES = ['graphLinks', 'graphEffort', 'vectorPrecision', 'storedVectors'] as const;

export type Dials = Pick<StoreOptions, (typeof NAMES)[number]>;

/** Setting: the dials that a writer was opened with last, as JSON. */
const DIALS = 'dials';

/** What a writer was given so far. */
export function readDials(db: Connection): Dials {
  return JSON.parse(readSetting<string>(db, DIALS) ?? '{}') as Dials;
}

export function writeDials(db: Connection, dials: Dials): void {
  writeSetting(db, DIALS, JSON.stringify(dials));
}

/**
 * The options with the dials that an earlier writer was given, where this one names none. Keeps those that it names: the
 * first graph comes with the 50,000th chunk, long after the index was made.
 */
export function withRememberedDials(db: Connection, options: ResolvedStoreOptions): ResolvedStoreOptions {
  const stored = readSetting<string>(db, DIALS) ?? '{}';
  const remembered: Dials = JSON.parse(stored);
  const named = Object.fromEntries(
    NAMES.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  );
  const dials = { ...remembered, ...named };
  const spelled = JSON.stringify(dials);
  if (spelled !== stored) writeSetting(db, DIALS, spelled);
  return { ...options, ...dials };
}
