import type { Document, DocumentFormat, Metadata, Provenance } from '../model/document.js';
import type { FileEntry } from './walk-entry.js';

/** What a reader makes of a file's bytes. */
export interface ReadResult extends Provenance {
  text: string;
  /** Default: what the text calls itself, else the file's base name. */
  title?: string;
  /** Joined with what is found in the text (front matter); these win. */
  metadata?: Metadata;
  /** Structure over `text` as it stands; default: found by the reader of the format. */
  structure?: Pick<Document, 'sections' | 'blocks'>;
}

/** A reader for files that Sluice doesn't know, or reads otherwise than the caller wants. */
export interface DocumentReader {
  /** For messages: 'pdf'. */
  readonly name: string;
  /** Extensions with or without the dot, in any case: 'pdf'. They go before the built-in ones. */
  readonly extensions: readonly string[];
  /** The format that the text has: a PDF reader may well make Markdown. */
  readonly format: Exclude<DocumentFormat, 'jsonl'>;
  /** Anything that it throws becomes SLUICE_FILE_UNREADABLE, unless it is a SluiceError. */
  read(bytes: Uint8Array, entry: FileEntry): ReadResult | Promise<ReadResult>;
}
