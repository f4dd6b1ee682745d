import { BlockKind, type Metadata } from '../model/document.js';
import { HtmlCollector } from './html-collector.js';
import type { HtmlBlock } from './html-flow.js';
import { ShallowParser } from './html-parser.js';
import { Region } from './html-tags.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';

const BLOCK_SEPARATOR = '\n\n';
/** Least share of the text outside of forms for which forms are dropped: some pages are one form from top to bottom. */
const MIN_SHARE_OUTSIDE_FORMS = 0.25;

/**
 * HTML to plain text with structure. Never throws on malformed pages. Headings become sections; lists, code and tables
 * keep their shape (`- ` items, kept white space, pipe tables); scripts and the like are dropped. Only the main content
 * counts if the page says what that is, else everything but navigation, headers, footers, asides and forms; a page that
 * would be empty without those keeps them. The title is `<title>`, else the first h1. Metadata: `lang` if declared.
 */
export function readHtml(source: string): ParsedText {
  const collector = new HtmlCollector();
  // In XHTML `<a/>` is a whole element; in HTML the slash means nothing.
  const recognizeSelfClosing = /^\s*<\?xml|<!DOCTYPE[^>]*XHTML/i.test(source.slice(0, 512));
  const parser = new ShallowParser(collector, { decodeEntities: true, recognizeSelfClosing });
  parser.write(source);
  parser.end();
  const all = collector.end();
  const blocks = mainContent(all);
  const title = collector.title.trim() || (firstH1(blocks) ?? firstH1(all));
  const metadata: Metadata = collector.lang === undefined ? {} : { lang: collector.lang };
  return { ...assemble(blocks), title, metadata };
}

/** Least share of the content for which articles are the content: some pages have a few as cards at the edge. */
const MIN_SHARE_OF_ARTICLES = 0.25;

function mainContent(all: HtmlBlock[]): HtmlBlock[] {
  const without = (bits: number) => all.filter((block) => (block.region & bits) === 0);
  const within = (bit: number) =>
    all.filter((block) => block.region & bit && !(block.region & Region.navigation));
  const main = within(Region.main);
  if (main.length > 0) return main;
  const content = without(Region.navigation | Region.chrome);
  const article = within(Region.article);
  if (textLength(article) > textLength(content) * MIN_SHARE_OF_ARTICLES) return article;
  const outsideForms = without(Region.navigation | Region.chrome | Region.form);
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
export function assemble(blocks: readonly HtmlBlock[]): Pick<ParsedText, 'text' | 'sections' | 'blocks'> {
  const outline = new Outline();
  let at = 0;
  for (const block of blocks) {
    const end = at + block.text.length;
    if (block.kind === BlockKind.heading) outline.heading(at, end, block.level, block.text);
    else outline.block(at, end, block.kind);
    at = end + BLOCK_SEPARATOR.length;
  }
  const text = blocks.map((block) => block.text).join(BLOCK_SEPARATOR);
  return { text, ...outline.build(text.length) };
}
