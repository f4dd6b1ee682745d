import type { BlockColumns, Metadata, Provenance, SectionColumns } from '../model/document.js';

/** What the reader of one format finds in a text: a Document without its name and origin. */
export interface ParsedText extends Provenance {
  /** What positions count in. The source itself where a person reads that; else (HTML, PDF, CSV) the text that the reader made of it. */
  readonly text: string;
  /** What the text calls itself; undefined if it doesn't. */
  readonly title: string | undefined;
  readonly metadata: Metadata;
  readonly sections: SectionColumns;
  readonly blocks: BlockColumns;
}
