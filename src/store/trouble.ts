import { ERROR_CODES, type ErrorCode, type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';

/** What the code of a system or of SQLite means. The first pattern that fits. */
const MEANINGS: { pattern: RegExp; code: ErrorCode; hint: string }[] = [
  {
    pattern: /^SQLITE_(CORRUPT|NOTADB)/,
    code: 'SLUICE_INDEX_CORRUPT',
    hint: 'restore the folder from a copy, or index the documents again',
  },
  {
    pattern: /^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/,
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

const HINTS = new Map(MEANINGS.map(({ code, hint }) => [code, hint]));

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
  const kind = /^E[A-Z0-9]+$/.test(code) ? 'the file system' : 'the native addon';
  const what = code.startsWith('SQLITE_') ? 'the database' : kind;
  const meaning = MEANINGS.find(({ pattern }) => pattern.test(code));
  const hint = meaning === undefined ? '' : `; ${meaning.hint}`;
  const verb = meaning?.code === 'SLUICE_INDEX_CORRUPT' ? 'is damaged' : 'failed';
  return {
    code: meaning?.code ?? 'SLUICE_NATIVE_FAILED',
    message: `${what} ${verb}: ${message} (${code})${hint}`,
    details: { cause: code },
  };
}

/** The addon says what failed and where; what to do about it is said here. */
function nativeRecord(code: ErrorCode, message: string): ErrorRecord {
  const hint = code.startsWith('SLUICE_DISK_') ? `; ${HINTS.get(code)}` : '';
  return { code, message: message + hint, details: {} };
}

/** SQLite does not say which file was full, failing or damaged: the thread knows whose it is. */
export function placed(record: ErrorRecord, where: string): ErrorRecord {
  return record.code.startsWith('SLUICE_DISK_') || record.details.cause !== undefined
    ? { ...record, message: `${where}: ${record.message}` }
    : record;
}
