import type { BlockColumns, Metadata, SectionColumns } from '../model/document.js';

/** What the reader of one format finds in a text: a Document without its name and origin. */
export interface ParsedText {
  /** What positions count in. The source itself, except for HTML, where it is the text of the page. */
  readonly text: string;
  /** What the text calls itself; undefined if it doesn't. */
  readonly title: string | undefined;
  readonly metadata: Metadata;
  readonly sections: SectionColumns;
  readonly blocks: BlockColumns;
}
