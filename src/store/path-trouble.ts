import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ErrorCode, fromErrorRecord, SluiceError } from '../errors.js';
import { troubleRecord } from './trouble.js';

interface Meaning {
  code: ErrorCode;
  says: string;
  hint: string;
}

const RIGHTS = 'check who may write there, or name another place';

/** What the code of a system means for a path that somebody named. */
const MEANINGS: Record<string, Meaning> = {
  ENOENT: {
    code: 'SLUICE_NOT_FOUND',
    says: 'it, or a folder above it, does not exist',
    hint: 'check the path',
  },
  ENOTDIR: { code: 'SLUICE_USAGE', says: 'a part of the path is a file', hint: 'check the path' },
  EEXIST: { code: 'SLUICE_USAGE', says: 'something else has that name', hint: 'name another place' },
  ENOTEMPTY: { code: 'SLUICE_USAGE', says: 'it is not empty', hint: 'name a folder that is new or empty' },
  EISDIR: { code: 'SLUICE_USAGE', says: 'it is a folder', hint: 'name a file' },
  ENAMETOOLONG: { code: 'SLUICE_USAGE', says: 'the name is too long', hint: 'name a shorter one' },
  ELOOP: { code: 'SLUICE_USAGE', says: 'its links lead in a circle', hint: 'check the path' },
  EACCES: { code: 'SLUICE_DISK_FAILED', says: 'permission denied', hint: RIGHTS },
  EPERM: { code: 'SLUICE_DISK_FAILED', says: 'the system does not permit it', hint: RIGHTS },
  EROFS: { code: 'SLUICE_DISK_FAILED', says: 'it lies where nothing can be written', hint: RIGHTS },
};

/**
 * What a call of the file system threw, as an error about the path that the caller named.
 * @param doing e.g. 'open', 'make the folder'
 */
export function pathTrouble(error: unknown, doing: string, path: string): SluiceError {
  if (SluiceError.is(error)) return error;
  const cause = (error as { code?: unknown } | null)?.code;
  const meaning = typeof cause === 'string' ? MEANINGS[cause] : undefined;
  if (meaning === undefined) return fromErrorRecord(troubleRecord(error));
  const { code, says, hint } = meaning;
  return new SluiceError(code, `cannot ${doing} ${path}: ${says}`, { hint, details: { path, cause } });
}

/** The same for a folder that could not be made with all above it: on a read-only mount Node says ENOENT to that. */
export function folderTrouble(error: unknown, folder: string): SluiceError {
  const missing = (error as { code?: unknown } | null)?.code === 'ENOENT';
  return pathTrouble(missing ? (refusalAbove(folder) ?? error) : error, 'make the folder', folder);
}

/** Why nothing can be made in the lowest folder that is there; undefined where something can. */
function refusalAbove(folder: string): unknown {
  let above = dirname(folder);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  try {
    accessSync(above, constants.W_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}
