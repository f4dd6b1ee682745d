import type { Passport } from '../../model/passport.js';
import { FORMAT_VERSION } from '../format.js';
import { purgedUntil } from '../purge.js';
import { type Connection, lastLabel, readSetting } from '../schema.js';
import { graphIdentity } from '../vectors-epoch.js';

/** Reports a problem at a place of the database. */
export type Report = (place: string, problem: string) => void;

/** What the rest of a verification goes by. */
export interface StoredSettings {
  indexId: string;
  /** What graphs over the present vectors say that they are of. */
  graphIdentity: string;
  generation: number;
  purgedUntil: number;
  /** 0 where the passport cannot be read. */
  dims: number;
}

const GENERATION_SETTINGS = ['publishedGeneration', 'purgedUntil'];

export function verifySettings(db: Connection, report: Report): StoredSettings {
  const place = (key: string) => `settings, row '${key}'`;
  const generation = readSetting<string | number>(db, 'generation') as number;
  if (!isGeneration(generation))
    report(place('generation'), `it is ${JSON.stringify(generation)}, not a number`);
  for (const key of GENERATION_SETTINGS) {
    const value = readSetting<string | number>(db, key) as number | undefined;
    if (value === undefined && key === 'purgedUntil') continue;
    if (!isGeneration(value) || value > generation)
      report(place(key), `it is ${JSON.stringify(value)}, the newest generation is ${generation}`);
  }
  const indexId = readSetting<string>(db, 'indexId');
  if (typeof indexId !== 'string') report(place('indexId'), 'it is missing');
  const dims = verifyPassport(readSetting<string | number>(db, 'passport'), (problem) =>
    report(place('passport'), problem),
  );
  const highest = db.prepare('SELECT max(label) FROM chunks').pluck().get() as number | null;
  if ((highest ?? 0) > lastLabel(db))
    report(
      "sqlite_sequence, row 'chunks'",
      `the last label is ${lastLabel(db)}, but ${highest} is given out`,
    );
  return {
    indexId: indexId ?? '',
    graphIdentity: typeof indexId === 'string' ? graphIdentity(db) : '',
    generation,
    purgedUntil: purgedUntil(db),
    dims,
  };
}

function isGeneration(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** @returns the dimensions of the vectors */
function verifyPassport(stored: unknown, report: (problem: string) => void): number {
  let passport: Passport;
  try {
    passport = JSON.parse(stored as string);
  } catch (error) {
    report((error as Error).message);
    return 0;
  }
  const dims = passport.embedder?.dims;
  if (passport.formatVersion !== FORMAT_VERSION) report(`its format version is ${passport.formatVersion}`);
  for (const key of ['chunker', 'analyzer', 'dictionary'] as const) {
    if (typeof passport[key] !== 'string') report(`it has no ${key}`);
  }
  if (!Number.isSafeInteger(dims) || dims <= 0) report(`its vectors have ${dims} dimensions`);
  return Number.isSafeInteger(dims) && dims > 0 ? dims : 0;
}
