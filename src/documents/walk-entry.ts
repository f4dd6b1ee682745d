import type { ErrorRecord } from '../errors.js';
import type { DocumentFormat } from '../model/document.js';

/** Largest file read by default, in bytes; JSONL has no limit, because it is read in blocks. */
export const DEFAULT_MAX_FILE_BYTES = 64 * 1024 * 1024;

export interface WalkRoot {
  /** Absolute path of a file or folder. */
  path: string;
  /** First part of the sources; for a file the whole source. */
  name: string;
  /** Names of older roots that lie inside, by their path below this one, with `/`: what they cover keeps their names. */
  nested?: ReadonlyMap<string, string>;
  /** Paths below this root, with `/`, that are walked as roots of their own: this walk leaves them out. */
  elsewhere?: ReadonlySet<string>;
}

export interface FileEntry {
  kind: 'file';
  /** Absolute. */
  path: string;
  /** `<root name>/<relative path>` with `/`; the root's name alone where the root is a file. */
  source: string;
  /** Bytes. */
  size: number;
  /** Time of the last change, of the content or of the file's entry, in whole milliseconds. */
  mtimeMs: number;
  format: DocumentFormat;
  /** Programming language of code, in lower case. */
  language?: string;
}

/** A file or folder that should have been read and could not be. */
export interface SkippedEntry {
  kind: 'skipped';
  source: string;
  error: ErrorRecord;
}

export type WalkEntry = FileEntry | SkippedEntry;
