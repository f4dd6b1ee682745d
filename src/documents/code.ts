import { BlockKind } from '../model/document.js';
import { LineTable } from './lines.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';
import { addParagraphs } from './text.js';

/**
 * Source code: one section, and a block for each group of lines between blank ones. Where functions and classes begin
 * is for the chunker to say, which has the language.
 */
export function readCode(text: string): ParsedText {
  const lines = new LineTable(text);
  const outline = new Outline();
  addParagraphs(lines, 0, lines.count, outline, BlockKind.code);
  return { text, title: undefined, metadata: {}, ...outline.build(text.length) };
}
