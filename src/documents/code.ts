import { BlockKind } from '../model/document.js';
import { findDefinitions } from './code-definitions.js';
import { closeSeams } from './code-seams.js';
import { CodeSections } from './code-sections.js';
import { LineTable } from './lines.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';
import { addParagraphs } from './text.js';

/**
 * Source code: the text is the source itself. Where the language has a grammar, each class, function and the like is a
 * section under its signature, with the comments above it; a function is one block. Anything else, and text outside of
 * definitions, is cut at blank lines.
 * @param extension of the file, in lower case and without the dot; '' if there is none
 */
export function readCode(text: string, extension = ''): ParsedText {
  const definitions = findDefinitions(text, extension);
  closeSeams(text, definitions);
  const structure = definitions.length > 0 ? new CodeSections(text, definitions).columns() : paragraphs(text);
  return { text, title: undefined, metadata: {}, ...structure };
}

function paragraphs(text: string) {
  const lines = new LineTable(text);
  const outline = new Outline();
  addParagraphs(lines, 0, lines.count, outline, BlockKind.code);
  return outline.build(text.length);
}
