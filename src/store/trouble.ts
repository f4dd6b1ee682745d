import { ERROR_CODES, type ErrorCode, type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

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
  if (DAMAGE.test(code)) {
    const hint = 'restore the folder from a copy, or index the documents again';
    return {
      code: 'SLUICE_INDEX_CORRUPT',
      message: `the database is damaged: ${message}; ${hint}`,
      details: {},
    };
  }
  const kind = /^E[A-Z0-9]+$/.test(code) ? 'the file system' : 'the native addon';
  const what = code.startsWith('SQLITE_') ? 'the database' : kind;
  return {
    code: 'SLUICE_NATIVE_FAILED',
    message: `${what} failed: ${message} (${code})`,
    details: { cause: code },
  };
}
