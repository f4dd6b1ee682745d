/** Questions about the tree of sections. */

import type { SectionColumns } from '../model/document.js';
import { countUpTo } from '../model/sorted.js';

/** The innermost section that holds the position. */
export function sectionAt(sections: SectionColumns, at: number): number {
  let section = countUpTo(sections.start, at) - 1;
  while (section > 0 && sections.end[section]! <= at) section = sections.parent[section]!;
  return Math.max(0, section);
}

/** The innermost section that holds both. */
export function commonSection(sections: SectionColumns, a: number, b: number): number {
  let [x, y] = [a, b];
  // A parent comes before its children, so the later one is never the ancestor.
  while (x !== y) {
    if (x > y) x = sections.parent[x]!;
    else y = sections.parent[y]!;
  }
  return x;
}
