import { type ErrorRecord, toErrorRecord } from '../errors.js';
import { exitCodeOf } from './exit-codes.js';

/** Options that every command has. */
export interface OutputOptions {
  json?: boolean;
}

/**
 * A reader that has seen enough (`sluice search … | head -1`) is no failure: what is written after it left is dropped.
 * Any other failure of stdout, a full disk for one, ends the program with a sentence; stderr has nobody to tell it to.
 */
export function handleFailedOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    const code = DISK_IS_FULL.has(error.code ?? '') ? 'SLUICE_DISK_FULL' : 'SLUICE_DISK_FAILED';
    note(`sluice: the output cannot be written: ${error.message} [${code}]`);
    process.exit(exitCodeOf(code));
  });
}

const DISK_IS_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Control characters as `\\u001b`: an id or a title must not move the cursor or break the line. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One JSON value on stdout, followed by a line end. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)}\n`);
}

export function print(text = ''): void {
  process.stdout.write(`${text}\n`);
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Reports a failure in the form that was asked for, and sets the exit status. */
export function fail(error: unknown, { json }: OutputOptions): void {
  const record = toErrorRecord(error);
  process.exitCode = exitCodeOf(record.code);
  if (json) printJson({ error: record });
  else note(`sluice: ${describeError(record)}`);
  if (record.code === 'SLUICE_INTERNAL' && error instanceof Error && error.stack) note(error.stack);
}

export function describeError({ code, message }: ErrorRecord): string {
  return `${message} [${code}]`;
}

/** '1,234' */
export function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** '1 chunk', '1,234 chunks' */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** '3.2 MB', decimal units */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let left = value;
  while (left >= 1000 && unit < units.length - 1) {
    left /= 1000;
    unit++;
  }
  return `${unit === 0 ? left : left.toFixed(1)} ${units[unit]}`;
}

/** '850 ms', '12.3 s', '4 min 05 s', '2 h 03 min' */
export function duration(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

export function percent(fraction: number): string {
  return `${Math.round(fraction * 100)}%`;
}
