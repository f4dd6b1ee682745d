import { BlockKind } from '../model/document.js';
import type { HtmlBlock } from './html-flow.js';
import { type EdgeElement, NAVIGATION } from './html-region.js';
import { Region, regionReason } from './html-tags.js';

/** Least share of the text outside of forms for which forms are dropped: some pages are one form from top to bottom. */
const MIN_SHARE_OUTSIDE_FORMS = 0.25;
/** Least share of the content for which articles are the content: some pages have a few as cards at the edge. */
const MIN_SHARE_OF_ARTICLES = 0.25;
/** Least share of a page's running text for which what is marked as its main content is. */
const MIN_SHARE_OF_MAIN = 0.25;
/** Share of a page's running text, and UTF-16 units of it, from which on a menu, header, footer or aside is content. */
const MIN_SHARE_OF_EDGE = 0.5;
const MIN_RUNNING_IN_EDGE = 300;
/** UTF-16 units outside of links that a paragraph of running text has at least; labels and notices are shorter. */
const MIN_RUNNING = 80;

/**
 * The blocks of a page that are its content: what it marks as main, else its articles if they are a good part of it,
 * else all but menus, headers, footers, asides and forms; a page that would be empty without those keeps them. What a
 * page marks is believed as long as running text says no other: a header that holds most of it is no header, but an
 * element that somebody forgot to close, or took for a box to lay out.
 */
export function mainContent(all: readonly HtmlBlock[]): readonly HtmlBlock[] {
  const bitsOf = releasing(all);
  const without = (bits: number) => all.filter((block) => (bitsOf(block) & bits) === 0);
  const within = (bit: number) =>
    all.filter((block) => bitsOf(block) & bit && !(bitsOf(block) & Region.navigation));
  const content = without(NAVIGATION);
  const main = within(Region.main);
  if (main.length > 0 && unlinked(main) >= running(content) * MIN_SHARE_OF_MAIN) return main;
  const article = within(Region.article);
  if (textLength(article) > textLength(content) * MIN_SHARE_OF_ARTICLES) return article;
  const outsideForms = without(NAVIGATION | Region.form);
  if (textLength(outsideForms) > textLength(content) * MIN_SHARE_OUTSIDE_FORMS) return outsideForms;
  return content.length > 0 ? content : all;
}

/** Why a block is left out. */
export function reasonOf({ region, text, linked }: HtmlBlock): string {
  const reason = regionReason(region.bits);
  // Headers hold menus that nobody marked as such.
  return reason === 'header and footer' && linked * 2 > text.length ? 'navigation' : reason;
}

/** The bits of each block's region, less those of a menu or header around it that holds most of the running text. */
function releasing(all: readonly HtmlBlock[]): (block: HtmlBlock) => number {
  const inEdges = new Map<EdgeElement, number>();
  let inPage = 0;
  for (const block of all) {
    const length = runningLength(block);
    inPage += length;
    const { edge } = block.region;
    if (edge !== undefined) inEdges.set(edge, (inEdges.get(edge) ?? 0) + length);
  }
  const released = new Set<EdgeElement>();
  for (const [edge, length] of inEdges) {
    if (length >= MIN_RUNNING_IN_EDGE && length >= inPage * MIN_SHARE_OF_EDGE) released.add(edge);
  }
  return ({ region: { bits, edge, bitsWithoutEdge } }) =>
    edge !== undefined && released.has(edge) ? bitsWithoutEdge : bits;
}

/** UTF-16 units of running text outside of links: 0 for headings, labels, and what consists of links. */
function runningLength({ kind, text, linked }: HtmlBlock): number {
  const length = text.length - linked;
  return kind !== BlockKind.heading && length >= MIN_RUNNING && length > linked ? length : 0;
}

function running(blocks: readonly HtmlBlock[]): number {
  return blocks.reduce((sum, block) => sum + runningLength(block), 0);
}

function unlinked(blocks: readonly HtmlBlock[]): number {
  return blocks.reduce((sum, { text, linked }) => sum + text.length - linked, 0);
}

function textLength(blocks: readonly HtmlBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.text.length, 0);
}
