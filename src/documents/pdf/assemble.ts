import { BlockKind, type DroppedText } from '../../model/document.js';
import { Outline } from '../outline.js';
import type { ReadResult } from '../reader.js';
import { linesInReadingOrder } from './columns.js';
import { findFurniture } from './furniture.js';
import { bodySize, headingLevels } from './headings.js';
import { type JoinedText, joinLines, WordList } from './join.js';
import type { PageText } from './page.js';
import { type Paragraph, type PlacedLine, paragraphsOf, withoutBullet } from './paragraphs.js';

const BLOCK_SEPARATOR = '\n\n';
/** How much larger than the body the title on the first page is. */
const TITLE_LARGER = 1.15;

/** What the pages hold, in reading order. */
export interface AssembledPages extends Pick<ReadResult, 'text'> {
  readonly structure: NonNullable<ReadResult['structure']>;
  readonly pages: Uint32Array;
  readonly dropped: DroppedText[];
  /** The largest text of the first page with any, if it is larger than the rest. */
  readonly largest: string | undefined;
}

/** @param pages undefined for pages that could not be read */
export function assemblePages(
  pages: readonly (PageText | undefined)[],
  titles: ReadonlySet<string>,
): AssembledPages {
  const furniture = findFurniture(pages);
  const lines = linesOf(pages, (run) => !furniture.runs.has(run));
  // A document that says the same on each page says that.
  const kept = lines.length > 0 ? lines : linesOf(pages, () => true);
  const paragraphs = paragraphsOf(kept);
  const words = new WordList(paragraphs);
  const texts = paragraphs.map(({ lines }) => joinLines(lines, words));
  const levels = headingLevels(
    paragraphs,
    texts.map(({ text }) => text),
    titles,
  );
  const dropped = [...furniture.chars].map(([reason, chars]) => ({ reason, chars, isText: true }));
  return {
    ...build(paragraphs, texts, levels, pages.length),
    dropped: lines.length > 0 ? dropped : [],
    largest: largestText(paragraphs, texts),
  };
}

function linesOf(
  pages: readonly (PageText | undefined)[],
  keep: (run: PageText['frames'][number]['runs'][number]) => boolean,
): PlacedLine[] {
  return pages.flatMap((text, page) =>
    (text?.frames ?? []).flatMap(({ runs }, frame) =>
      linesInReadingOrder(runs.filter(keep))
        .filter((line) => line.text !== '')
        .map((line) => ({ ...line, page, frame })),
    ),
  );
}

function build(
  paragraphs: readonly Paragraph[],
  texts: readonly JoinedText[],
  levels: ReadonlyMap<number, number>,
  pageCount: number,
): Pick<AssembledPages, 'text' | 'structure' | 'pages'> {
  const outline = new Outline();
  const parts: string[] = [];
  const starts = new Uint32Array(pageCount);
  let at = 0;
  let page = -1;
  // Pages without text begin where the next one with text does.
  const begin = (until: number, position: number) => {
    while (page < until) starts[++page] = position;
  };
  for (let i = 0; i < paragraphs.length; i++) {
    const paragraph = paragraphs[i]!;
    const level = levels.get(i);
    const inList = paragraph.bullet && i > 0 && paragraphs[i - 1]!.bullet;
    if (i > 0) {
      parts.push(inList ? '\n' : BLOCK_SEPARATOR);
      at += inList ? 1 : BLOCK_SEPARATOR.length;
    }
    const joined = paragraph.bullet ? asItem(texts[i]!) : texts[i]!;
    const end = at + joined.text.length;
    begin(paragraph.lines[0]!.page, at);
    for (const start of joined.pageStarts) begin(start.page, at + start.at);
    parts.push(joined.text);
    if (level !== undefined) outline.heading(at, end, level, joined.text.replace(/\s+/g, ' '));
    else if (inList) outline.extendLast(end);
    else outline.block(at, end, kindOf(paragraph));
    at = end;
  }
  begin(pageCount - 1, at);
  // The document begins with its first page, whatever that holds.
  if (pageCount > 0) starts[0] = 0;
  return { text: parts.join(''), structure: outline.build(at), pages: starts };
}

function asItem({ text, pageStarts }: JoinedText): JoinedText {
  const item = `- ${withoutBullet(text)}`;
  const moved = item.length - text.length;
  return {
    text: item,
    pageStarts: pageStarts.map(({ page, at }) => ({ page, at: Math.max(0, at + moved) })),
  };
}

function kindOf({ lines, bullet }: Paragraph): BlockKind {
  if (bullet) return BlockKind.list;
  return lines.every((line) => line.monospace) ? BlockKind.code : BlockKind.prose;
}

function largestText(paragraphs: readonly Paragraph[], texts: readonly JoinedText[]): string | undefined {
  const page = paragraphs[0]?.lines[0]?.page;
  let largest = bodySize(paragraphs) * TITLE_LARGER;
  let title: string | undefined;
  for (let i = 0; i < paragraphs.length && paragraphs[i]!.lines[0]!.page === page; i++) {
    const { size } = paragraphs[i]!.lines[0]!;
    const { text } = texts[i]!;
    if (size <= largest * 1.01 || !/\p{L}{2}/u.test(text) || text.length > 300) continue;
    largest = size;
    title = text;
  }
  return title;
}
