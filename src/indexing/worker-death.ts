import { basename } from 'node:path';
import { SluiceError } from '../errors.js';

/** Why a worker thread is no more. */
export interface WorkerDeath {
  /** 'time': it was ended, because a module kept it too long. */
  readonly reason: 'time' | 'memory' | 'exit' | 'error';
  readonly message: string;
  /** URL of the caller's module that did it, as far as that can be told. */
  readonly module: string | undefined;
}

export const DEFAULT_MODULE_TIMEOUT_MS = 60_000;

/** What is said of a module that had too long. */
export function overTime(limitMs: number): string {
  return `it did not come back within ${limitMs} ms; moduleTimeoutMs (--module-timeout) says how long it may take`;
}

/** @param item the file, record or document that it was at; undefined while it is loaded */
export function moduleStopped(module: string, item: string | undefined, what: string): SluiceError {
  const where = item === undefined ? 'while it was loaded' : `on ${item}`;
  return new SluiceError('SLUICE_MODULE_STOPPED', `the module ${basename(module)} failed ${where}: ${what}`, {
    details: { module, ...(item !== undefined && { source: item }) },
  });
}

/** What is said of a file, record or document that a thread died of. */
export function deathError({ reason, message, module }: WorkerDeath, item: string): SluiceError {
  if (module !== undefined) return moduleStopped(module, item, message);
  return new SluiceError('SLUICE_FILE_CRASHED', `the thread that read ${item} died of it: ${message}`, {
    hint:
      reason === 'memory'
        ? 'leave the file out, split it, or allow Node.js more memory with --max-old-space-size'
        : 'leave the file out, and report it as a bug',
    details: { source: item, reason },
  });
}
