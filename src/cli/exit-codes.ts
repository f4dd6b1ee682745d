import type { ErrorCode } from '../errors.js';

/** What the command's exit status says. Scripts build on these: never renumbered. */
export const EXIT = {
  ok: 0,
  /** The command failed; stderr says why, with a code. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** `index` finished, but some files or records were skipped; they are listed. */
  partial: 3,
  /** `verify` found damage, or `repair` left some; it is listed. */
  damaged: 4,
  /** Stopped by Ctrl-C; the index is usable and running again goes on. */
  interrupted: 130,
} as const;

const USAGE_CODES: readonly ErrorCode[] = [
  'SLUICE_USAGE',
  'SLUICE_FILTER_INVALID',
  'SLUICE_FILTER_UNKNOWN_FIELD',
];

export function exitCodeOf(code: ErrorCode): number {
  if (code === 'SLUICE_ABORTED') return EXIT.interrupted;
  return USAGE_CODES.includes(code) ? EXIT.usage : EXIT.failed;
}
