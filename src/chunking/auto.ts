/** Which strategy fits a document. */

import { BlockKind, type Document } from '../model/document.js';

/**
 * 'structure' for a document with headings, or with blocks other than prose (code, tables, lists); 'window' for plain
 * text, whose paragraphs the windows respect by themselves.
 */
export function chooseStrategy(document: Document): 'structure' | 'window' {
  if (document.sections.start.length > 1) return 'structure';
  const { kind } = document.blocks;
  return kind.some((k) => k !== BlockKind.prose && k !== BlockKind.frontMatter) ? 'structure' : 'window';
}
