import { type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';

/** SLUICE_FILE_UNREADABLE with what the system said; a SluiceError stays what it is. */
export function unreadable(source: string, cause: unknown): ErrorRecord {
  return toErrorRecord(unreadableError(source, cause));
}

export function unreadableError(source: string, cause: unknown): SluiceError {
  if (SluiceError.is(cause)) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  // Node's text ends in the absolute path; the source says it shorter.
  const reason = message?.split(',')[0] ?? String(cause);
  return new SluiceError('SLUICE_FILE_UNREADABLE', `cannot read ${source}: ${reason}`, {
    cause,
    details: { source, ...(code === undefined ? {} : { errno: code }) },
  });
}

export function tooLarge(source: string, size: number, limit: number): ErrorRecord {
  return toErrorRecord(
    new SluiceError('SLUICE_FILE_TOO_LARGE', `${source} has ${size} bytes, over the limit of ${limit}`, {
      hint: 'raise maxFileBytes (the command: --max-file-mb), or exclude it',
      details: { source, size, limit },
    }),
  );
}

export function outsideRoot(source: string, target: string): ErrorRecord {
  return toErrorRecord(
    new SluiceError('SLUICE_FILE_OUTSIDE_ROOT', `${source} is a link to ${target}, outside of the root`, {
      hint: 'name its target as a root if it should be indexed',
      details: { source, target },
    }),
  );
}

export function notAFile(source: string): ErrorRecord {
  return toErrorRecord(
    new SluiceError('SLUICE_FILE_UNREADABLE', `${source} is a device, pipe or socket, which may never end`, {
      hint: 'save what it gives to a file first',
      details: { source },
    }),
  );
}
