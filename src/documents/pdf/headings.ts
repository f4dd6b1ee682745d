import type { PdfBookmark } from './library.js';
import { LEADER } from './lines.js';
import type { Paragraph } from './paragraphs.js';

/** How much larger than the text of the body a heading is. */
const LARGER = 1.12;
const MAX_HEADING_LINES = 4;
const MAX_HEADING_CHARS = 200;
/** Sizes that differ by less, as a share, are one level. */
const SAME_SIZE = 0.04;
const MAX_BOOKMARKS = 20_000;
const NUMBERING = /^(?:chapter |section |§ ?)?(\d{1,3}(?:\.\d{1,3})*)\.?\s+\p{L}/iu;

/** Size in points in which most characters are set, to the half point. */
export function bodySize(paragraphs: readonly Paragraph[]): number {
  const chars = new Map<number, number>();
  for (const { lines } of paragraphs) {
    for (const { size, text } of lines) {
      const rounded = Math.round(size * 2) / 2;
      chars.set(rounded, (chars.get(rounded) ?? 0) + text.length);
    }
  }
  return [...chars].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0];
}

/** Titles in the table of contents that readers show beside the pages, without numbers and white space. */
export function bookmarkTitles(bookmarks: readonly PdfBookmark[] | null): Set<string> {
  const titles = new Set<string>();
  const waiting = [...(bookmarks ?? [])];
  for (let read = 0; waiting.length > 0 && read < MAX_BOOKMARKS; read++) {
    const { title, items } = waiting.pop()!;
    if (typeof title === 'string' && title.trim() !== '') titles.add(titleKey(title));
    if (Array.isArray(items)) for (const item of items) waiting.push(item);
  }
  return titles;
}

function titleKey(title: string): string {
  return title
    .replace(/^[\d.\s]+/, '')
    .replace(/[\s\p{P}]+/gu, '')
    .toLowerCase();
}

/**
 * Levels of the paragraphs that are headings, by their index. A heading is larger than the body, or has its words in
 * the table of contents. The largest size is level 1; within a size, each further part of a number is one level more.
 */
export function headingLevels(
  paragraphs: readonly Paragraph[],
  texts: readonly string[],
  titles: ReadonlySet<string>,
): Map<number, number> {
  const body = bodySize(paragraphs);
  const found = paragraphs.flatMap((paragraph, index) => {
    const text = texts[index]!;
    if (!mayBeHeading(paragraph, text)) return [];
    const size = paragraph.lines[0]!.size;
    const larger = size >= body * LARGER;
    return larger || titles.has(titleKey(text)) ? [{ index, size: Math.max(size, body), text }] : [];
  });
  const sizes = distinctSizes(found.map(({ size }) => size));
  const depths = new Map<number, number>();
  const ranked = found.map(({ index, size, text }) => {
    const rank = sizes.findIndex((other) => size >= other * (1 - SAME_SIZE));
    const depth = NUMBERING.exec(text)?.[1]?.split('.').length;
    if (depth !== undefined) depths.set(rank, Math.min(depth, depths.get(rank) ?? depth));
    return { index, rank, depth };
  });
  return new Map(
    ranked.map(({ index, rank, depth }) => [
      index,
      Math.min(6, 1 + rank + (depth === undefined ? 0 : depth - depths.get(rank)!)),
    ]),
  );
}

function mayBeHeading({ lines, bullet }: Paragraph, text: string): boolean {
  if (bullet || lines.length > MAX_HEADING_LINES || text.length > MAX_HEADING_CHARS) return false;
  if (lines.some((line) => line.cells > 2)) return false;
  return /\p{L}/u.test(text) && text.length > 1 && !/[,;]$/.test(text) && !text.includes(LEADER);
}

/** Largest first; what is nearly the same counts once. */
function distinctSizes(sizes: readonly number[]): number[] {
  const distinct: number[] = [];
  for (const size of [...sizes].sort((a, b) => b - a)) {
    const last = distinct.at(-1);
    if (last === undefined || size < last * (1 - SAME_SIZE)) distinct.push(size);
  }
  return distinct;
}
