import { BlockKind, type Metadata } from '../model/document.js';
import type { DroppedCount } from './dropped.js';
import { HtmlCollector } from './html-collector.js';
import type { HtmlBlock } from './html-flow.js';
import { ShallowParser } from './html-parser.js';
import { RawLineCursor } from './html-place.js';
import { Region, regionReason } from './html-tags.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';
import { RawLineMap } from './raw-line-map.js';

const BLOCK_SEPARATOR = '\n\n';
/** Least share of the text outside of forms for which forms are dropped: some pages are one form from top to bottom. */
const MIN_SHARE_OUTSIDE_FORMS = 0.25;

/**
 * HTML to plain text with structure. Never throws on malformed pages. Headings become sections; lists, code and tables
 * keep their shape (`- ` items, kept white space, pipe tables); scripts and the like are dropped. Only the main content
 * counts if the page says what that is, else everything but navigation, headers, footers, asides and forms; a page that
 * would be empty without those keeps them, and what is left out is counted by reason. The title is `<title>`, else the first h1. Metadata: `lang` if declared.
 */
export function readHtml(source: string): ParsedText {
  const cursor = new RawLineCursor(source);
  const collector: HtmlCollector = new HtmlCollector(() => cursor.lineAt(parser.startIndex));
  // In XHTML `<a/>` is a whole element; in HTML the slash means nothing.
  const recognizeSelfClosing = /^\s*<\?xml|<!DOCTYPE[^>]*XHTML/i.test(source.slice(0, 512));
  const parser: ShallowParser = new ShallowParser(collector, { decodeEntities: true, recognizeSelfClosing });
  parser.write(source);
  parser.end();
  const all = collector.end();
  const blocks = mainContent(all);
  const title = collector.title.trim() || (firstH1(blocks) ?? firstH1(all));
  const metadata: Metadata = collector.lang === undefined ? {} : { lang: collector.lang };
  countOthers(all, blocks, collector.dropped);
  return { ...assemble(blocks), title, metadata, ...collector.dropped.build() };
}

/** Counts the blocks that are not of the main content. */
function countOthers(all: readonly HtmlBlock[], kept: readonly HtmlBlock[], dropped: DroppedCount): void {
  const own = new Set(kept);
  for (const block of all) {
    if (own.has(block)) continue;
    // Marks that the page does not have are no loss.
    const text =
      block.kind === BlockKind.table
        ? block.text.replace(/^\|(?: --- \|)+$|\|/gm, '')
        : block.text.replace(/^\s*- /gm, '');
    dropped.add(regionReason(block.region), text, true);
  }
}

/** Least share of the content for which articles are the content: some pages have a few as cards at the edge. */
const MIN_SHARE_OF_ARTICLES = 0.25;

/** What leads around a site rather than being of the page. */
const NAVIGATION = Region.navigation | Region.chrome | Region.aside;

function mainContent(all: HtmlBlock[]): HtmlBlock[] {
  const without = (bits: number) => all.filter((block) => (block.region & bits) === 0);
  const within = (bit: number) =>
    all.filter((block) => block.region & bit && !(block.region & Region.navigation));
  const main = within(Region.main);
  if (main.length > 0) return main;
  const content = without(NAVIGATION);
  const article = within(Region.article);
  if (textLength(article) > textLength(content) * MIN_SHARE_OF_ARTICLES) return article;
  const outsideForms = without(NAVIGATION | Region.form);
  if (textLength(outsideForms) > textLength(content) * MIN_SHARE_OUTSIDE_FORMS) return outsideForms;
  return content.length > 0 ? content : all;
}

function textLength(blocks: readonly HtmlBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.text.length, 0);
}

function firstH1(blocks: readonly HtmlBlock[]): string | undefined {
  return blocks.find((block) => block.level === 1)?.text;
}

/** Blocks as one text with its columns. */
export function assemble(
  blocks: readonly HtmlBlock[],
): Pick<ParsedText, 'text' | 'sections' | 'blocks' | 'rawLines'> {
  const outline = new Outline();
  const lines = new RawLineMap();
  let at = 0;
  for (const block of blocks) {
    for (const place of block.places) {
      lines.break();
      lines.add(at + place.at, place.line, 0, place.follows === true);
    }
    const end = at + block.text.length;
    if (block.kind === BlockKind.heading) outline.heading(at, end, block.level, block.text);
    else outline.block(at, end, block.kind);
    at = end + BLOCK_SEPARATOR.length;
  }
  const text = blocks.map((block) => block.text).join(BLOCK_SEPARATOR);
  const rawLines = lines.build();
  return { text, ...outline.build(text.length), ...(rawLines && { rawLines }) };
}
