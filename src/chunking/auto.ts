/** Which strategy fits a document. */

import { BlockKind, type Document } from '../model/document.js';
import { findClauses } from './clauses.js';
import { findPairs } from './faq.js';
import { type Mark, type Outlined, reoutline } from './reoutline.js';

/** Fewer clauses or pairs are no evidence of what a text is. */
const LEAST_MARKS = 5;
/** They must hold at least this share of it. */
const LEAST_SHARE = 0.6;
/** A clause that is longer than this share of the text holds more than a clause: what stands behind the last one, too. */
const MOST_OF_ONE_CLAUSE = 0.35;

/** Numbered clauses are all found, or most; headings of a manual are found here and there. */
const LEAST_WHOLE = 0.6;
/** Share of the innermost clauses that may say nothing but a title: a table of contents consists of such lines. */
const MOST_BARE = 0.5;
const MAX_TITLE_CHARS = 100;

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
  const { marks, numbered, wholeness } = findClauses(document);
  const outnumbers = numbered >= LEAST_MARKS && numbered > 2 * (document.sections.start.length - 1);
  if (
    outnumbers &&
    wholeness >= LEAST_WHOLE &&
    consistsOf(document.text.length, marks) &&
    sayMore(document.text, marks)
  )
    return reoutline(document, marks);
  const pairs = findPairs(document);
  if (pairs.count < LEAST_MARKS || pairs.share < LEAST_SHARE) return undefined;
  return reoutline(document, pairs.marks);
}

/** Whether marks are spread over a text of that length. */
function consistsOf(length: number, marks: readonly Mark[]): boolean {
  const starts = [...marks.map(({ start }) => start), length];
  if (length - starts[0]! < length * LEAST_SHARE) return false;
  return starts.every((start, i) => i === 0 || start - starts[i - 1]! <= length * MOST_OF_ONE_CLAUSE);
}

/** Whether most clauses, those that only hold others and items left out, say more than their number and a title. */
function sayMore(text: string, marks: readonly Mark[]): boolean {
  const clauses = marks.filter(({ sharesChunks }) => !sharesChunks);
  let [innermost, bare] = [0, 0];
  for (const [i, { start, depth }] of clauses.entries()) {
    const next = clauses[i + 1];
    if (next !== undefined && next.depth > depth) continue;
    innermost++;
    // Long ones are not worth a copy.
    const end = Math.min(next?.start ?? text.length, start + 2 * MAX_TITLE_CHARS);
    if (isTitle(text.slice(start, end).trim())) bare++;
  }
  return bare <= innermost * MOST_BARE;
}

function isTitle(words: string): boolean {
  return words.length <= MAX_TITLE_CHARS && !/\n|[.;:。；：]["'”’)\]]*$/.test(words);
}
