import type { SelectionOptions } from './selection.js';

export interface WalkOptions extends SelectionOptions {
  /** Bytes; default 64 MiB. Not for JSONL. */
  maxFileBytes?: number;
  /** Leave out what .gitignore files name; default true. */
  gitignore?: boolean;
  /** Told of each file that is no candidate, by its format or by `include`; not of what is hidden or excluded. */
  onIgnored?: (source: string) => void;
  /** Told of each folder that is walked, before it is read: whoever watches it from then on misses nothing. */
  onFolder?: (folder: { path: string; source: string }) => void;
  signal?: AbortSignal;
}
