import { BlockKind, type Metadata } from '../model/document.js';
import type { DroppedCount } from './dropped.js';
import { HtmlCollector } from './html-collector.js';
import { mainContent, reasonOf } from './html-content.js';
import type { HtmlBlock } from './html-flow.js';
import { ShallowParser } from './html-parser.js';
import { RawLineCursor } from './html-place.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';
import { RawLineMap } from './raw-line-map.js';

const BLOCK_SEPARATOR = '\n\n';

/**
 * HTML to plain text with structure. Never throws on malformed pages. Headings become sections; lists, code and tables
 * keep their shape (`- ` items, kept white space, pipe tables); scripts and the like are dropped. Only the main content
 * counts (`mainContent`), and what is left out is counted by reason. The title is `<title>`, else the first h1. Metadata: `lang` if declared.
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
    dropped.add(reasonOf(block), text, true);
  }
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
