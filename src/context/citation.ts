import { HEADING_SEPARATOR } from '../model/chunk.js';
import { placeInSource } from '../model/place.js';
import type { Block } from './passage.js';

/** Where a passage comes from, down to its lines: chunk → document → source. */
export interface Citation {
  /** The number in square brackets in the context's text; null for what is not in it. */
  readonly number: number | null;
  readonly chunkIds: readonly string[];
  readonly documentId: string;
  readonly source: string;
  readonly title: string;
  readonly headingPath: string;
  /** UTF-16 positions in the document's text. */
  readonly start: number;
  readonly end: number;
  /** 1-based. */
  readonly startLine: number;
  readonly endLine: number;
  /** 1-based page that it begins on; 0 where the source has no pages. */
  readonly page: number;
  /** Which index the document is of, where several were searched. */
  readonly index?: string;
}

export function toCitation({ text: _text, ...where }: Block, number: number | null): Citation {
  return { number, ...where };
}

/** The line above a passage: `[1] title › heading (source:3-9)`, or `(source:page 3)`; a title that the headings repeat stands once. */
export function citationLine(citation: Omit<Citation, 'number'>, number: number): string {
  const { title, headingPath, source } = citation;
  const headings = headingPath === '' ? [] : headingPath.split(HEADING_SEPARATOR);
  const names = title === '' || headings[0] === title ? headings : [title, ...headings];
  return [
    `[${number}]`,
    ...(names.length === 0 ? [] : [names.join(HEADING_SEPARATOR)]),
    `(${source}:${placeInSource(citation)})`,
  ].join(' ');
}
