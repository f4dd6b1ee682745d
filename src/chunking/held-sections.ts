/**
 * What a chunk of several sections is called. Its section is the one that holds all of them, which may be the whole
 * document; so its path goes on with the names of those below that it holds: `class Nest › grow(), describe()`.
 */

import type { SectionColumns } from '../model/document.js';
import { countUpTo } from '../model/sorted.js';
import type { PlacedPiece } from './piece.js';
import { sectionAt } from './sections.js';

export type PlacedSpan = Pick<PlacedPiece, 'start' | 'end' | 'section'>;

/** Of more names than this, in UTF-16 units, the rest is `…`: a heading path is for reading. */
const MAX_NAMES_LENGTH = 160;

/**
 * What the path of a piece says below its section: names down to the innermost section that holds all that is of one
 * below, then the names of those in it. Empty where sections have no names, or none below has text in the piece.
 */
export function heldNames(sections: SectionColumns, piece: PlacedSpan): string[] {
  const { name } = sections;
  if (name === undefined) return [];
  const path: string[] = [];
  for (let { section } = piece; ; ) {
    const held = heldSections(sections, { ...piece, section });
    if (held.length > 0) path.push(joinNames(held.map((row) => name[row]!)));
    if (held.length !== 1) return path;
    section = held[0]!;
  }
}

/** Those right below the piece's section, in order; the first one may begin before the piece. */
function heldSections(sections: SectionColumns, { start, end, section }: PlacedSpan): number[] {
  const { parent } = sections;
  const held: number[] = [];
  let first = sectionAt(sections, start);
  while (first > section && parent[first] !== section) first = parent[first]!;
  if (parent[first] === section) held.push(first);
  for (let row = countUpTo(sections.start, start); row < parent.length; row++) {
    if (sections.start[row]! >= end) break;
    if (parent[row] === section) held.push(row);
  }
  return held;
}

function joinNames(names: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const name of new Set(names)) {
    if (name === '') continue;
    length += name.length + ', '.length;
    if (kept.length > 0 && length > MAX_NAMES_LENGTH) return `${kept.join(', ')}, …`;
    kept.push(name);
  }
  return kept.join(', ');
}
