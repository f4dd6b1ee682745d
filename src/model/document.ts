/** Parsed text with its structure and metadata: what `documents/` makes and `chunking/` cuts. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type Metadata = { [key: string]: JsonValue };

/** How the bytes were read. */
export const DOCUMENT_FORMATS = [
  'markdown',
  'html',
  'text',
  'rst',
  'asciidoc',
  'pdf',
  'docx',
  'csv',
  'json',
  'notebook',
  'code',
  'jsonl',
] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** What a block or a chunk is. The numbers are stored in indexes: never renumber. */
export const BlockKind = { prose: 0, heading: 1, code: 2, table: 3, list: 4, frontMatter: 5 } as const;
export type BlockKind = (typeof BlockKind)[keyof typeof BlockKind];
export const BLOCK_KIND_NAMES = ['prose', 'heading', 'code', 'table', 'list', 'frontMatter'] as const;
export type BlockKindName = (typeof BLOCK_KIND_NAMES)[number];

/**
 * The outline: section i covers `[start[i], end[i])` of the text, its heading line included and its subsections too.
 * Section 0 is always the whole document (level 0, parent -1, heading ''). Sections come in document order.
 */
export interface SectionColumns {
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** 0 for the document, 1 to 6 for headings. */
  readonly level: Uint8Array;
  readonly parent: Int32Array;
  readonly heading: readonly string[];
  /** What a chunk that holds several sections calls each of them, where its heading is long: `parse()`. */
  readonly name?: readonly string[];
}

/**
 * Top-level blocks in order, not overlapping: a paragraph, a heading, a fenced code block, a table, a list.
 * Text between blocks is white space or markup that carries no words; chunkers still cover it.
 */
export interface BlockColumns {
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly kind: Uint8Array;
  /** Index of the innermost section that holds the block. */
  readonly section: Uint32Array;
}

/**
 * Where the text lies in the raw file, for readers whose text is not the decoded file itself: what begins at `at[i]` and
 * ends before `at[i + 1]` comes from the raw lines `line[i]` on (1-based). `at` ascends and begins with 0. Within such a
 * span each line end of the text is one line end of the file if `follows[i]` is 1; otherwise all of it lies at `line[i]`.
 */
export interface RawLines {
  readonly at: Uint32Array;
  readonly line: Uint32Array;
  readonly follows: Uint8Array;
}

/** What a reader left out of a file, by reason. */
export interface DroppedText {
  /** In a few words, the same for all files: 'navigation', 'script', 'repeated page header'. */
  readonly reason: string;
  /** Characters left out that are not white space. */
  readonly chars: number;
  /** False for what no reader of the page ever sees as text: scripts, styles, markup. */
  readonly isText: boolean;
}

/** What a reader knows about the file behind a text, where the text is not the file itself. */
export interface Provenance {
  /** Where each page begins in the text, ascending, from 0: page p (1-based) begins at `pages[p - 1]`. */
  readonly pages?: Uint32Array;
  readonly rawLines?: RawLines;
  readonly dropped?: readonly DroppedText[];
}

/** All positions are UTF-16 code units of `text`, the way JavaScript slices. */
export interface Document extends Provenance {
  /** Unique in an index. For a file: `<root name>/<relative path>` with `/`; for a JSONL record: its own id. */
  readonly id: string;
  /** The file that it came from, same form as a file's id; for a document given by the caller: its id. */
  readonly source: string;
  readonly title: string;
  readonly format: DocumentFormat;
  readonly text: string;
  readonly metadata: Metadata;
  readonly sections: SectionColumns;
  readonly blocks: BlockColumns;
  /** Programming language of `code` documents, lower case ('typescript'), else undefined. */
  readonly language?: string;
}

/** A document as a caller hands it over; structure is found by the reader of its format ('text' by default). */
export interface DocumentInput {
  id: string;
  text: string;
  title?: string;
  format?: DocumentFormat;
  metadata?: Metadata;
}
