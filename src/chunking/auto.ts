/** Which strategy fits a document. */

import { BlockKind, type Document } from '../model/document.js';
import { findClauses } from './clauses.js';
import { findPairs } from './faq.js';
import { type Outlined, reoutline } from './reoutline.js';

/** Fewer clauses or pairs are no evidence of what a text is. */
const LEAST_MARKS = 5;
/** They must hold at least this share of it. */
const LEAST_SHARE = 0.6;

const RUNNING_TEXT: ReadonlySet<Document['format']> = new Set(['text', 'markdown', 'html']);

/** True for a document with headings, or with blocks other than prose (code, tables, lists). */
export function hasStructure(document: Document): boolean {
  if (document.sections.start.length > 1) return true;
  return document.blocks.kind.some((kind) => kind !== BlockKind.prose && kind !== BlockKind.frontMatter);
}

/**
 * The outline that a text's own clauses or question–answer pairs give it, where it plainly consists of them. Clauses
 * must outnumber the reader's sections: numbered headings are a structure as they are.
 */
export function plainOutline(document: Document): Outlined | undefined {
  if (!RUNNING_TEXT.has(document.format)) return undefined;
  const { marks, numbered } = findClauses(document);
  const share = marks.length === 0 ? 0 : 1 - marks[0]!.start / document.text.length;
  if (
    numbered >= LEAST_MARKS &&
    share >= LEAST_SHARE &&
    numbered > 2 * (document.sections.start.length - 1)
  ) {
    return reoutline(document, marks);
  }
  const pairs = findPairs(document);
  if (pairs.count < LEAST_MARKS || pairs.share < LEAST_SHARE) return undefined;
  return reoutline(document, pairs.marks);
}
