import { ERROR_CODES, type ErrorCode, type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/** Whatever goes wrong inside a store thread, as a record with a code of ours. */
export function troubleRecord(error: unknown): ErrorRecord {
  if (SluiceError.is(error)) return toErrorRecord(error);
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
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
  const kind = code.startsWith('SQLITE_') ? 'the database failed' : 'the file system failed';
  return { code: 'SLUICE_NATIVE_FAILED', message: `${kind}: ${message} (${code})`, details: { cause: code } };
}
