/**
 * Orphaned evidence: chunks that open by pointing at a sentence which stands in another chunk ("This happens when…",
 * "As described above, …"). A model that gets such a chunk alone cannot tell what is meant.
 *
 * A heuristic, and meant to be read as one. A chunk counts if all of this holds:
 *  - it is prose or a list, not code, a table or a heading;
 *  - text of its own section stands before it, so the sentence that it points at is in a neighbour;
 *  - its first words are of the list below. Words that mostly stand for the sentence before are taken, plain articles
 *    ("the", "die", "el") are not. A word counts in any case: a chunk that is cut inside a sentence points back as well.
 * The context prefix does not help against it: it names the section, never the sentence before.
 */

import type { ChunkColumns } from '../model/chunk.js';
import { BlockKind, type Document } from '../model/document.js';

const OPENINGS = {
  en: 'this|that|these|those|it|its|they|them|their|he|she|such|here|however|therefore|thus|hence|moreover|furthermore|additionally|otherwise|instead|nevertheless|consequently|likewise|similarly|accordingly|conversely|in contrast|on the other hand|for this reason|as a result|in that case|in this case|as (?:described|mentioned|noted|shown|explained|discussed|stated|seen) (?:above|before|earlier|previously)|the (?:above|latter|former|same|previous|preceding)',
  de: 'dies|diese|dieser|dieses|diesem|diesen|jene|jener|jenes|hierbei|hierzu|hierfür|dabei|dadurch|dafür|daher|dazu|darum|deshalb|deswegen|jedoch|allerdings|außerdem|zudem|folglich|somit|stattdessen|andernfalls|ebenso|wie (?:oben|bereits) (?:beschrieben|erwähnt|gezeigt|erklärt)',
  fr: 'cela|ceci|cette|cet|ces|celui-ci|celle-ci|ceux-ci|celles-ci|elles|ils|cependant|toutefois|néanmoins|ainsi|donc|de plus|en outre|par conséquent|en revanche|comme (?:décrit|indiqué|mentionné|expliqué) (?:ci-dessus|plus haut|précédemment)',
  es: 'esto|estos|estas|ello|aquello|ellos|ellas|sin embargo|además|por lo tanto|por tanto|por consiguiente|no obstante|en cambio|asimismo|como se (?:describe|menciona|indica|explica|describió|mencionó|indicó|explicó)',
} as const;

const WORDS = new RegExp(`^(?:${Object.values(OPENINGS).join('|')})(?![\\p{L}\\p{N}_'’-])`, 'iu');

/** Chinese and Japanese put no border behind a word. */
const UNSPACED =
  /^(?:这|這|该|該|此外|因此|然而|但是|不过|所以|它们?|它們|其中|如上所述|上述|これ|それ|この|その|こうした|そのため|したがって|しかし|ただし|また|前述|上記)/u;

/** What may stand before the first word: list marks, quotes, emphasis. */
const MARKS = /^(?:[\s>*_#"'“„«(-]|\d+[.)]\s)+/u;

const LEADING_CHARS = 160;

/** True for a chunk that leans on a neighbour. */
export function isOrphaned(document: Document, chunks: ChunkColumns, row: number): boolean {
  if (row === 0 || chunks.headingPath[row] !== chunks.headingPath[row - 1]) return false;
  const kind = chunks.kind[row];
  if (kind !== BlockKind.prose && kind !== BlockKind.list) return false;
  const start = chunks.start[row]!;
  const opening = document.text.slice(start, start + LEADING_CHARS).replace(MARKS, '');
  return WORDS.test(opening) || UNSPACED.test(opening);
}
