import { ERROR_CODES, type ErrorCode, type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;
/** A filter meets metadata that are none, or a table is not the one that was made. */
const FOREIGN_CONTENT = /malformed JSON|no such (column|table|index)/i;

let database = 'sluice.db';

/** Names the database of this thread, for errors: SQLite's own do not say which file they are about. */
export function workOn(file: string): void {
  database = file;
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
  if (code in ERROR_CODES) return { code: code as ErrorCode, message, details: {} };
  if (DAMAGE.test(code) || (code === 'SQLITE_ERROR' && FOREIGN_CONTENT.test(message))) {
    const hint = `${DAMAGE_HINT}; or restore the folder from a copy`;
    const said = `the database ${database} is damaged: ${message}`;
    return toErrorRecord(
      new SluiceError('SLUICE_INDEX_CORRUPT', said, { hint, details: { path: database } }),
    );
  }
  const kind = /^E[A-Z0-9]+$/.test(code) ? 'the file system' : 'the native addon';
  const what = code.startsWith('SQLITE_') ? 'the database' : kind;
  return {
    code: 'SLUICE_NATIVE_FAILED',
    message: `${what} failed: ${message} (${code})`,
    details: { cause: code },
  };
}
