/**
 * Every error that Sluice throws on purpose: one class, a stable `code`, and a message that says what failed, where,
 * and what to do. Codes are API: they are never renamed, only added.
 */

/** What each code means. The keys are the stable codes. */
export const ERROR_CODES = {
  SLUICE_USAGE: 'the call or command line is wrong: an unknown option, a value out of range',
  SLUICE_NOT_FOUND: 'a path, document or chunk that was named does not exist',
  SLUICE_NOT_AN_INDEX: 'the folder holds something, but not a Sluice index',
  SLUICE_INDEX_VERSION: 'the index was written by a format version that this release cannot read',
  SLUICE_INDEX_LOCKED: 'another process is writing to the index',
  SLUICE_INDEX_CORRUPT: 'a file of the index is damaged',
  SLUICE_DISK_FULL: 'a disk, a quota or a limit on file sizes leaves no room to write',
  SLUICE_DISK_FAILED:
    'the system refused to read or write a file of the index: an I/O error, a read-only mount, a missing permission',
  SLUICE_SNAPSHOT_GONE: 'the state of the index that a reader stands at was purged: refresh it',
  SLUICE_INDEX_CLOSED: 'the index was closed before the call',
  SLUICE_PASSPORT_MISMATCH: 'the index was made with another model, chunker or analyzer than the one given',
  SLUICE_FILTER_INVALID: 'the filter expression does not follow the grammar',
  SLUICE_FILTER_UNKNOWN_FIELD: 'the filter names a field that no document has',
  SLUICE_MODEL_INVALID: 'the model folder lacks a file, or its files contradict each other',
  SLUICE_MODEL_FAILED: 'the model could not be loaded or run',
  SLUICE_MODULE_INVALID:
    'a chunker or reader module of the caller does not load, exports the wrong thing or breaks its contract',
  SLUICE_MODULE_STOPPED:
    'a chunker or reader module of the caller did not come back in time, ended its thread or threw outside of its call',
  SLUICE_EMBEDDING_INVALID:
    'an embedder returned NaN, an infinite value, a vector that is too long or the wrong shape',
  SLUICE_NO_DOCUMENTS: 'nothing to index was found under the given paths',
  SLUICE_FILE_UNREADABLE: 'a file could not be read',
  SLUICE_FILE_BINARY: 'a file with a text extension holds binary data',
  SLUICE_FILE_ENCRYPTED: 'a file opens with a password only',
  SLUICE_FILE_TOO_LARGE: 'a file is over the size limit of the run',
  SLUICE_FILE_ENCODING: 'a text file is in an encoding that could not be recognised',
  SLUICE_FILE_CRASHED: 'the thread that read or cut a document died of it, most often for want of memory',
  SLUICE_FILE_OUTSIDE_ROOT: 'a symbolic link leads out of the root',
  SLUICE_RECORD_INVALID: 'a line of a JSONL file is not a document',
  SLUICE_EXPORT_INVALID: 'an export file is damaged, cut off, or none of ours',
  SLUICE_DUPLICATE_ID: 'two documents claim the same id',
  SLUICE_DOCUMENT_EMPTY: 'a document holds no text',
  SLUICE_NATIVE_UNAVAILABLE: 'the native addon is missing or does not fit this platform',
  SLUICE_NATIVE_ARGUMENT:
    'an array given to the native addon is detached, of the wrong type or of the wrong length',
  SLUICE_NATIVE_FAILED: 'the native addon failed',
  SLUICE_AUDIT_FAILED: 'an audit found chunks that break their contract, or files of which much was dropped',
  SLUICE_ABORTED: 'the caller aborted the operation',
  SLUICE_INTERNAL: 'a broken promise inside Sluice: this is a bug',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface SluiceErrorOptions {
  /** What the caller can do about it; becomes part of the message. */
  hint?: string;
  cause?: unknown;
  /** Machine-readable facts: path, field, expected, actual. Must survive JSON. */
  details?: Record<string, unknown>;
}

const BRAND = Symbol.for('sluice.error');

/**
 * The error of this library. Recognise it by `code`, or by `SluiceError.is(error)`, which also works across duplicate
 * copies of the package and after a trip through a worker thread.
 */
export class SluiceError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: SluiceErrorOptions = {}) {
    super(options.hint === undefined ? message : `${message}; ${options.hint}`, { cause: options.cause });
    this.name = 'SluiceError';
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The same failure with another remedy: what a caller can do differs between a function and a command. */
  withHint(hint: string): SluiceError {
    const end = this.hint === undefined ? undefined : -`; ${this.hint}`.length;
    return new SluiceError(this.code, this.message.slice(0, end), {
      hint,
      cause: this,
      details: this.details,
    });
  }

  static is(error: unknown): error is SluiceError {
    return typeof error === 'object' && error !== null && BRAND in error;
  }
}

/** An error as plain data: what crosses a worker border, goes into the ledger and is printed by `--json`. */
export interface ErrorRecord {
  code: ErrorCode;
  message: string;
  details: Record<string, unknown>;
}

/** Turns anything thrown into a record; what is not a SluiceError gets `fallback`. */
export function toErrorRecord(error: unknown, fallback: ErrorCode = 'SLUICE_INTERNAL'): ErrorRecord {
  if (SluiceError.is(error)) return { code: error.code, message: error.message, details: error.details };
  return { code: fallback, message: messageOf(error), details: {} };
}

/** What was thrown may be anything, code of a caller's module that throws in turn included. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'it threw something that has no message';
  }
}

/** Anything thrown as a SluiceError: itself, or one with the code `fallback` that has it as its cause. */
export function toSluiceError(error: unknown, fallback: ErrorCode, what: string): SluiceError {
  if (SluiceError.is(error)) return error;
  return new SluiceError(fallback, `${what}: ${toErrorRecord(error).message}`, { cause: error });
}

/** The other way round, for records that come out of a worker. */
export function fromErrorRecord(record: ErrorRecord): SluiceError {
  return new SluiceError(record.code, record.message, { details: record.details });
}

/** Throws SLUICE_ABORTED if the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new SluiceError('SLUICE_ABORTED', 'the operation was aborted', { cause: signal.reason });
}
