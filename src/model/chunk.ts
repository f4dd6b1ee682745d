import type { TextColumn } from './text-column.js';

/**
 * The chunks of one document as columns, in document order. A chunk's text is always
 * `document.text.slice(start, end)`: it is never stored apart.
 */
export interface ChunkColumns {
  /** UTF-16 positions in the document's text; `start` never falls. */
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** Tokens of what the embedder reads for this chunk (prefix included), special tokens excluded. */
  readonly tokens: Uint32Array;
  /**
   * 1-based lines of the first and the last character: of the file, where the reader knows them (`rawLines`), else of the
   * text. CRLF, LF and CR each end one line.
   */
  readonly startLine: Uint32Array;
  readonly endLine: Uint32Array;
  /** 1-based page of the first character; 0 for documents without pages. */
  readonly page: Uint32Array;
  /**
   * The span that answers for the chunk, which holds it: the parent window of 'parent-child', the section of the other
   * strategies that know sections; the chunk's own span where there is nothing larger.
   */
  readonly parentStart: Uint32Array;
  readonly parentEnd: Uint32Array;
  /** BlockKind of most of the chunk's characters. */
  readonly kind: Uint8Array;
  /** Headings from the outermost to the innermost, joined by HEADING_SEPARATOR; '' at the top. */
  readonly headingPath: readonly string[];
  /** 1 where no cut could bring the chunk under the limit: it is embedded by windows and pooled. */
  readonly overLimit: Uint8Array;
  /**
   * What the models and the keyword index read instead of the bare slice: context prefix, then the slice.
   * Cleaning happens here, never in the text.
   */
  readonly embeddingText: TextColumn;
}

/** Joins a heading path; also what people see between headings. */
export const HEADING_SEPARATOR = ' › ';
