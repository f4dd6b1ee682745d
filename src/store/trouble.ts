import { ERROR_CODES, type ErrorCode, type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;
/** A filter meets metadata that are none, or a table is not the one that was made. */
const FOREIGN_CONTENT = /malformed JSON|no such (column|table|index)/i;

/** Another connection holds what this one waited for. */
const HELD = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
/** Whoever reads for long and may write does so in WAL mode, which holds up nobody. */
const HELD_HINT =
  'it is held by a verify, export or backup that runs where it may not write, by a repair or migration, or by another ' +
  'program that has sluice.db open: wait until that is done, or close it, and try again';

/** What the code of a system or of SQLite means. The first pattern that fits. */
const MEANINGS: { pattern: RegExp; code: ErrorCode; hint: string }[] = [
  {
    // The shared memory is a file: SQLite says so when there is no room for its first bytes, or for more of them.
    pattern: /^(SQLITE_FULL|SQLITE_IOERR_SHM(OPEN|SIZE)|ENOSPC|EDQUOT|EFBIG)$/,
    code: 'SLUICE_DISK_FULL',
    hint: 'make room and try again: what was committed before is safe',
  },
  {
    pattern: /^(SQLITE_IOERR.*|EIO)$/,
    code: 'SLUICE_DISK_FAILED',
    hint: "look at the system's log for the disk's errors, and at quotas; what was committed before is safe",
  },
  {
    pattern: /^(SQLITE_(CANTOPEN|READONLY).*|EROFS|EACCES|EPERM)$/,
    code: 'SLUICE_DISK_FAILED',
    hint: 'check the permissions; an index that was not closed cleanly has to be opened once where its folder can be written',
  },
];

const NO_SPACE = /no space left on device|disk quota exceeded/i;
const HINTS = new Map(MEANINGS.map(({ code, hint }) => [code, hint]));

let database = 'sluice.db';

/** Names the database of this thread, for errors: SQLite's own do not say which file they are about. */
export function workOn(file: string): void {
  database = file;
}

/** Whether SQLite gave up waiting for another connection: that says nothing about what the database holds. */
export function isHeldByOthers(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'SLUICE_INDEX_LOCKED' || (typeof code === 'string' && HELD.test(code));
}

/** What to do about rows of the database that are not what was written. */
export const DAMAGE_HINT = "'sluice verify' lists what is damaged, 'sluice repair' says what can be done";

/** @param place e.g. `documents, row 7, document 'a.md'` */
export function damagedRow(place: string, reason: string): SluiceError {
  return new SluiceError(
    'SLUICE_INDEX_CORRUPT',
    `the database ${database} is damaged at ${place}: ${reason}`,
    {
      hint: DAMAGE_HINT,
      details: { path: database, place },
    },
  );
}

/** JSON that a row holds. */
export function storedJson<T>(text: string | undefined, place: string): T {
  try {
    return JSON.parse(text!);
  } catch (error) {
    throw damagedRow(place, (error as Error).message);
  }
}

/** Whatever goes wrong inside a store thread, as a record with a code of ours. */
export function troubleRecord(error: unknown): ErrorRecord {
  if (SluiceError.is(error)) return toErrorRecord(error);
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  if ((error as { name?: unknown } | null)?.name === 'DataCloneError') {
    return { code: 'SLUICE_USAGE', message: `a value is no plain data: ${message}`, details: {} };
  }
  if (typeof code !== 'string') return toErrorRecord(error);
  if (code in ERROR_CODES) return nativeRecord(code as ErrorCode, message);
  if (DAMAGE.test(code) || (code === 'SQLITE_ERROR' && FOREIGN_CONTENT.test(message))) {
    const hint = `${DAMAGE_HINT}; or restore the folder from a copy`;
    const said = `the database ${database} is damaged: ${message}`;
    return toErrorRecord(
      new SluiceError('SLUICE_INDEX_CORRUPT', said, { hint, details: { path: database } }),
    );
  }
  if (HELD.test(code)) {
    const said = `the database ${database} is locked by another process: ${message} (${code})`;
    const details = { path: database, cause: code };
    return toErrorRecord(new SluiceError('SLUICE_INDEX_LOCKED', said, { hint: HELD_HINT, details }));
  }
  const kind = /^E[A-Z0-9]+$/.test(code) ? 'the file system' : 'the native addon';
  const what = code.startsWith('SQLITE_') ? 'the database' : kind;
  const meaning = MEANINGS.find(({ pattern }) => pattern.test(code));
  const hint = meaning === undefined ? '' : `; ${meaning.hint}`;
  return {
    code: meaning?.code ?? 'SLUICE_NATIVE_FAILED',
    message: `${what} failed: ${message} (${code})${hint}`,
    details: { cause: code },
  };
}

/** The addon says what failed and where; what to do about it is said here. */
function nativeRecord(given: ErrorCode, message: string): ErrorRecord {
  // tantivy's merges tell what went wrong as a sentence.
  const code = given === 'SLUICE_NATIVE_FAILED' && NO_SPACE.test(message) ? 'SLUICE_DISK_FULL' : given;
  const hint = code.startsWith('SLUICE_DISK_') ? `; ${HINTS.get(code)}` : '';
  return { code, message: message + hint, details: {} };
}

/** SQLite does not say which file was full, failing or damaged: the thread knows whose it is. */
export function placed(record: ErrorRecord, where: string): ErrorRecord {
  if (record.details.path !== undefined) return record;
  return record.code.startsWith('SLUICE_DISK_') || record.details.cause !== undefined
    ? { ...record, message: `${where}: ${record.message}` }
    : record;
}
