import { type ErrorCode, SluiceError } from '../errors.js';

/** What to do about an error, by its code and in words of the command line. */
export type CommandHints = Partial<Record<ErrorCode, string>>;

/**
 * Runs calls of the library for a command. Its errors advise programmers: where one comes with a hint, and the command
 * has a hint of its own for that code, the command's stands in its place.
 */
export async function withCommandHints<T>(hints: CommandHints, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const hint = error instanceof SluiceError && error.hint !== undefined ? hints[error.code] : undefined;
    throw hint === undefined ? error : (error as SluiceError).withHint(hint);
  }
}
