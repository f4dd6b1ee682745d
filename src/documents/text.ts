import { BlockKind, type BlockKind as Kind } from '../model/document.js';
import { eachParagraph, LineTable } from './lines.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';

/** Plain text: a block is a run of lines without a blank one between them. */
export function readText(text: string): ParsedText {
  const lines = new LineTable(text);
  const outline = new Outline();
  addParagraphs(lines, 0, lines.count, outline, BlockKind.prose);
  return { text, title: undefined, metadata: {}, ...outline.build(text.length) };
}

/** Adds the paragraphs of the lines [first, end) as blocks of one kind. */
export function addParagraphs(
  lines: LineTable,
  first: number,
  end: number,
  outline: Outline,
  kind: Kind,
): void {
  eachParagraph(lines, first, end, (from, to) => {
    outline.block(lines.start(from), lines.contentEnd(to - 1), kind);
  });
}
