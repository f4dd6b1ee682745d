import type { Handler } from 'htmlparser2';
import { BlockKind } from '../model/document.js';
import { DroppedCount, solidLength } from './dropped.js';
import { type HtmlBlock, HtmlFlow } from './html-flow.js';
import { HtmlLine } from './html-line.js';
import { type HtmlPlace, shiftPlaces } from './html-place.js';
import { type HtmlRegion, PAGE, regionIn } from './html-region.js';
import { HtmlTable } from './html-table.js';
import {
  BLOCK_TAGS,
  DROPPED_TAGS,
  droppedAs,
  HEADING_BREAKERS,
  headingLevel,
  LIST_TAGS,
  regionOf,
  SECTIONING_TAGS,
} from './html-tags.js';

/**
 * Hears the parser's events and makes blocks of them. Elements that are open are counted, never kept as a tree or
 * walked by recursion, so that nesting costs nothing and cannot overflow the stack. The parser closes what it opened
 * in the right order, whatever the page does, so depths identify elements.
 */
export class HtmlCollector implements Partial<Handler> {
  title = '';
  lang: string | undefined;
  /** What hidden and dropped elements held. */
  readonly dropped = new DroppedCount();
  readonly #page = new HtmlFlow();
  readonly #tables: HtmlTable[] = [];
  readonly #line = new HtmlLine();
  /** Open regions: the depth of the element, and the region that it lies in. */
  readonly #regions: { depth: number; before: HtmlRegion }[] = [];
  #region = PAGE;
  /** Open elements that have headers and footers of their own. */
  #sections = 0;
  /** Depth of the link that is open, 0 for none. */
  #link = 0;
  /** Elements that are open. */
  depth = 0;
  /** Depth of the dropped element that we are in, 0 for none. */
  #dropped = 0;
  #droppedTag = '';
  #inTitle = false;
  #preformatted = 0;
  /** Programming language of the `<pre>` that is open, '' if it names none. */
  #language = '';
  #heading = 0;

  /** @param rawLine the raw line, from 1, in which what the parser reports now begins */
  constructor(readonly rawLine: () => number) {}

  onopentag(tag: string, attributes: { [name: string]: string }): void {
    this.depth++;
    if (this.#dropped > 0) return;
    if (DROPPED_TAGS.has(tag) || isHidden(tag, attributes.hidden)) {
      this.#dropped = this.depth;
      this.#droppedTag = DROPPED_TAGS.has(tag) ? tag : 'hidden';
      return;
    }
    if (tag === 'html' && attributes.lang) this.lang = attributes.lang;
    if (tag === 'title') this.#inTitle = true;
    if (tag === 'br') this.#heading > 0 ? this.#line.addBlank() : this.#line.addLineEnd();
    if (this.#heading > 0 && HEADING_BREAKERS.has(tag)) this.#endHeading();
    if (BLOCK_TAGS.has(tag)) this.#breakLine();
    const bit = regionOf(tag, attributes.role, this.#sections > 0);
    if (bit !== 0) this.#enterRegion(bit);
    if (SECTIONING_TAGS.has(tag)) this.#sections++;
    if (this.#link === 0 && tag === 'a' && attributes.href !== undefined) this.#link = this.depth;
    if (tag === 'pre') this.#openPreformatted();
    if (this.#preformatted > 0) this.#language ||= languageOf(attributes);
    else this.#openStructure(tag, attributes);
  }

  #openStructure(tag: string, attributes: { [name: string]: string }): void {
    const level = headingLevel(tag);
    const table = this.#tables.at(-1);
    if (level > 0) this.#startHeading(level);
    else if (LIST_TAGS.has(tag)) this.#flow.openList();
    else if (tag === 'li' || tag === 'dt') this.#flow.startItem();
    else if (tag === 'table') this.#tables.push(new HtmlTable(isForLayout(attributes.role)));
    else if (tag === 'tr') table?.startRow(this.#region);
    else if (tag === 'td' || tag === 'th') table?.startCell(this.#region, tag === 'th', attributes);
  }

  onclosetag(tag: string): void {
    const depth = this.depth--;
    if (this.#dropped > 0) {
      if (this.#dropped === depth) this.#dropped = 0;
      return;
    }
    if (tag === 'title') this.#inTitle = false;
    if (SECTIONING_TAGS.has(tag)) this.#sections--;
    if (this.#link === depth) this.#link = 0;
    if (tag === 'pre') this.#closePreformatted();
    else if (headingLevel(tag) > 0) this.#endHeading();
    else if (BLOCK_TAGS.has(tag)) this.#breakLine();
    if (this.#preformatted === 0) this.#closeStructure(tag);
    if (this.#regions.at(-1)?.depth === depth) this.#leaveRegion();
  }

  #closeStructure(tag: string): void {
    if (LIST_TAGS.has(tag)) this.#flow.closeList(this.#region);
    else if (tag === 'li' || tag === 'dt') this.#flow.endItem();
    else if (tag === 'td' || tag === 'th') this.#tables.at(-1)?.endCell(this.#region);
    else if (tag === 'table') {
      const blocks = this.#tables.pop()?.end(this.#region) ?? [];
      for (const block of blocks) this.#flow.addBlock(block);
    }
  }

  ontext(data: string): void {
    if (this.#dropped > 0) {
      const { reason, isText } = droppedAs(this.#droppedTag);
      this.dropped.addChars(reason, solidLength(data), isText);
    } else if (this.#inTitle) this.title += data;
    else if (this.#preformatted > 0) this.#line.addVerbatim(data, this.rawLine());
    else this.#line.addCollapsed(data, this.rawLine(), this.#link > 0);
  }

  oncomment(data: string): void {
    this.dropped.add('comment', data, false);
  }

  /** All blocks of the page in order. */
  end(): HtmlBlock[] {
    if (this.#heading > 0) this.#endHeading();
    this.#breakLine();
    return this.#page.end(this.#region);
  }

  get #flow(): HtmlFlow {
    return this.#tables.at(-1)?.flow ?? this.#page;
  }

  /** Ends a line: the text so far is a paragraph, unless a heading or preformatted text goes on. */
  #breakLine(): void {
    if (this.#preformatted > 0) this.#line.endLine();
    else if (this.#heading > 0) this.#line.addBlank();
    else this.#flow.addText(this.#line.takeCollapsed(), this.#region);
  }

  #startHeading(level: number): void {
    if (this.#heading > 0) this.#endHeading();
    this.#breakLine();
    this.#heading = level;
  }

  #endHeading(): void {
    if (this.#heading === 0) return;
    const { text: words, places, linked } = this.#line.takeCollapsed();
    const text = words.replace(/\s+/g, ' ').replace(PERMALINK, '').trim();
    // A heading is one line, so one place is enough.
    this.#addBlock(BlockKind.heading, text, places.slice(0, 1), this.#heading, linked);
    this.#heading = 0;
  }

  #openPreformatted(): void {
    if (this.#heading > 0) this.#endHeading();
    this.#preformatted++;
  }

  #closePreformatted(): void {
    if (this.#preformatted === 0 || --this.#preformatted > 0) return;
    const { text, places } = this.#line.takeVerbatim();
    const language = this.#language;
    this.#language = '';
    // A fence says the language to whom reads a part of the code, as in Markdown.
    if (language === '' || text === '' || text.includes('```')) this.#addBlock(BlockKind.code, text, places);
    else {
      const open = `\`\`\`${language}\n`;
      const first = places[0] ? [{ at: 0, line: places[0].line }] : [];
      const moved = [...first, ...shiftPlaces(places, 0, open.length)];
      this.#addBlock(BlockKind.code, `${open}${text}\n\`\`\``, moved);
    }
  }

  #addBlock(kind: BlockKind, text: string, places: readonly HtmlPlace[], level = 0, linked = 0): void {
    this.#flow.addBlock({ kind, text, places, level, region: this.#region, linked });
  }

  #enterRegion(bit: number): void {
    this.#regions.push({ depth: this.depth, before: this.#region });
    this.#region = regionIn(this.#region, bit);
  }

  #leaveRegion(): void {
    this.#region = this.#regions.pop()!.before;
  }
}

function isForLayout(role: string | undefined): boolean {
  return role === 'presentation' || role === 'none';
}

/** Some pages hide all of themselves until a script has run. */
const NEVER_HIDDEN = new Set(['html', 'body', 'main', 'article']);

/** What opens when it is searched for is there to be found. */
function isHidden(tag: string, hidden: string | undefined): boolean {
  return hidden !== undefined && hidden !== 'until-found' && !NEVER_HIDDEN.has(tag);
}

/** Marks that documentation tools hang on headings to link to them. */
const PERMALINK = /^\s*[§¶]\s*|\s*[§¶]\s*$|\s+#\s*$/g;

/** The language that a `<pre>`, or the `<code>` within it, is marked with by common tools. */
function languageOf({
  class: names = '',
  'data-lang': own,
  'data-language': other,
}: Record<string, string>): string {
  const marked = /(?:^|\s)(?:language|lang|brush:?|highlight-source)[-\s]([\w+#.-]+)/.exec(names)?.[1];
  const language = own ?? other ?? marked ?? '';
  return /^[\w+#.-]{1,30}$/.test(language) ? language.toLowerCase() : '';
}
