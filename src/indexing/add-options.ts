import { SluiceError } from '../errors.js';

export interface AddOptions {
  /**
   * Glob patterns on the path below the root. Default: every file that a reader knows. With `include` a run only adds
   * and updates; without it, documents whose files are excluded or ignored now are removed.
   */
  include?: string[];
  exclude?: string[];
  /** Hidden files and folders too. Default false. */
  hidden?: boolean;
  /** Largest file that is read, in bytes; JSONL streams and has no limit. Default 64 MiB. */
  maxFileBytes?: number;
  /** Told of each folder that is walked, by its absolute path and before it is read. */
  onFolder?: (path: string) => void;
  /** Stops walking, commits the documents that are embedded, publishes; then the run rejects with SLUICE_ABORTED. */
  signal?: AbortSignal;
}

const CHECKS: Record<keyof AddOptions, { test: (value: unknown) => boolean; wants: string }> = {
  include: { test: isGlobs, wants: 'a list of glob patterns' },
  exclude: { test: isGlobs, wants: 'a list of glob patterns' },
  hidden: { test: (value) => typeof value === 'boolean', wants: 'true or false' },
  maxFileBytes: {
    test: (value) => Number.isSafeInteger(value) && (value as number) > 0,
    wants: 'a number of bytes',
  },
  onFolder: { test: (value) => typeof value === 'function', wants: 'a function' },
  signal: { test: (value) => value instanceof AbortSignal, wants: 'an AbortSignal' },
};

/**
 * @param call what errors name
 * @throws SLUICE_USAGE for an option that does not exist or a value that cannot be: a typo must not index a secret
 */
export function checkAddOptions(options: unknown, call = 'add'): AddOptions {
  if (options === undefined) return {};
  if (typeof options !== 'object' || options === null) {
    throw new SluiceError('SLUICE_USAGE', `the options of ${call} must be an object, not ${String(options)}`);
  }
  for (const [name, value] of Object.entries(options)) {
    const check = CHECKS[name as keyof AddOptions];
    if (!check) {
      throw new SluiceError('SLUICE_USAGE', `${call} has no option "${name}"`, {
        hint: `it knows ${Object.keys(CHECKS).join(', ')}`,
      });
    }
    if (value !== undefined && !check.test(value)) {
      throw new SluiceError('SLUICE_USAGE', `${call}: ${name} must be ${check.wants}`, {
        details: { option: name },
      });
    }
  }
  return options;
}

function isGlobs(value: unknown): boolean {
  return Array.isArray(value) && value.every((glob) => typeof glob === 'string');
}
