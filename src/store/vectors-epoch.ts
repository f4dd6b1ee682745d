import { dirname } from 'node:path';
import { SluiceError } from '../errors.js';
import type { Passport } from '../model/passport.js';
import { type Connection, readSetting } from './schema.js';
import { storedJson } from './trouble.js';

/**
 * How often all vectors were made anew by another model. Whoever holds vectors of one epoch in memory must not meet
 * those of another: not in a graph, not in a scan, not in a commit.
 */
export function vectorsEpoch(db: Connection): number {
  return readSetting<number>(db, 'vectorsEpoch') ?? 0;
}

/** What a graph says that it is of: one over the vectors of another epoch is as foreign as another index's. */
export function graphIdentity(db: Connection, epoch = vectorsEpoch(db)): string {
  const index = readSetting<string>(db, 'indexId')!;
  return epoch === 0 ? index : `${index}/${epoch}`;
}

/**
 * Whether a graph is over vectors of another epoch: it waits for a re-embedding to be finished, or a power cut kept it
 * from being removed after one. It is no damage, and of no use.
 */
export function isOfOtherEpoch(db: Connection, owner: unknown): boolean {
  const index = readSetting<string>(db, 'indexId')!;
  if (typeof owner !== 'string' || owner.split('/')[0] !== index) return false;
  // What follows is the epoch, but for the first one, and a mark, but for older releases.
  const epoch = /^[^/]*\/(\d+)(?:\/|$)/.exec(owner)?.[1] ?? 0;
  return Number(epoch) !== vectorsEpoch(db);
}

/** @throws SLUICE_PASSPORT_MISMATCH where the vectors were made anew since the index was opened */
export function refuseOtherEpoch(db: Connection, epoch: number): void {
  const actual = vectorsEpoch(db);
  if (actual === epoch) return;
  const folder = dirname(db.name);
  const passport = storedJson<Passport>(readSetting<string>(db, 'passport'), "settings, row 'passport'");
  const model = passport.embedder.name;
  throw new SluiceError(
    'SLUICE_PASSPORT_MISMATCH',
    `the index ${folder} was re-embedded with another model, ${model}`,
    { hint: 'open it again', details: { folder, model, field: 'vectorsEpoch', expected: epoch, actual } },
  );
}
