import { BlockKind, type BlockKind as Kind, type Metadata } from '../model/document.js';
import {
  attributeOf,
  closingOf,
  delimiterOf,
  headingOf,
  isAside,
  isBreak,
  isCondition,
  isVerbatimStyle,
  itemOf,
  leadsBlock,
  underlinedLevel,
} from './asciidoc-markup.js';
import { LineTable } from './lines.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';

/**
 * AsciiDoc: the text is the source itself. Headings are `=` lines or titles over a rule; those in delimited blocks are
 * text. Listings, literal and pass-through blocks are code, `|===` is a table; examples, sidebars, quotes and open
 * blocks are looked into. A list is one block with all that is attached to it; each described term is a block, because
 * manuals describe hundreds in a row. Attributes below the title are metadata. Never throws, linear in the size.
 */
export function readAsciidoc(text: string): ParsedText {
  return new AsciidocReader(text).read();
}

class AsciidocReader {
  readonly #lines: LineTable;
  readonly #outline = new Outline();
  #metadata: Metadata = {};
  /** Closing lines of the containers that are open, outermost first. */
  readonly #containers: string[] = [];
  /** First of the attribute and title lines above the block that comes next, -1 if there are none. */
  #lead = -1;
  #verbatim = false;

  constructor(readonly text: string) {
    this.#lines = new LineTable(text);
  }

  read(): ParsedText {
    for (let line = this.#readHeader(); line < this.#lines.count; ) line = this.#readBlock(line);
    this.#endLead(this.#lines.count);
    const title = this.#outline.firstHeading();
    return { text: this.text, title, metadata: this.#metadata, ...this.#outline.build(this.text.length) };
  }

  /** The title, and the author, revision and attribute lines right below it; returns the line after them. */
  #readHeader(): number {
    const lines = this.#lines;
    let line = 0;
    while (line < lines.count && isAside(this.#content(line))) line++;
    if (line > 0) this.#add(0, line, BlockKind.prose);
    const first = line < lines.count ? this.#headingLines(line) : undefined;
    const from = first?.level === 1 ? line + first.lines : line;
    if (first?.level === 1) this.#addHeading(line, first);
    let end = from;
    const entries: [string, string][] = [];
    for (; end < lines.count && !lines.isBlank(end); end++) {
      const attribute = attributeOf(lines.line(end).trimEnd());
      if (attribute) entries.push([attribute.name, attribute.value]);
      else if (entries.length === 0 && first?.level === 1 && end - from < 2 && !this.#begins(end)) continue;
      else if (!isAside(this.#content(end))) break;
    }
    if (entries.length === 0) return from;
    this.#metadata = Object.fromEntries(entries);
    this.#outline.block(lines.start(from), lines.trimmedEnd(from, end), BlockKind.frontMatter);
    return end;
  }

  /** Reads what begins at the line and returns the line after it; always a later one. */
  #readBlock(line: number): number {
    if (this.#lines.isBlank(line)) return line + 1;
    const content = this.#content(line);
    if (content === this.#containers.at(-1)) {
      this.#endLead(line);
      this.#containers.pop();
      return line + 1;
    }
    const heading = this.#containers.length === 0 ? this.#headingLines(line) : undefined;
    if (heading) {
      this.#endLead(line);
      return this.#addHeading(line, heading);
    }
    if (isAside(content)) return this.#readAside(line);
    const delimiter = delimiterOf(content);
    if (delimiter === 'container') return this.#openContainer(line, content);
    if (delimiter !== undefined) return this.#readDelimited(line, content, delimiter);
    if (leadsBlock(content)) return this.#readLead(line, content);
    if (isBreak(content)) return line + 1;
    return this.#readParagraph(line, content);
  }

  #readLead(line: number, content: string): number {
    if (this.#lead < 0) this.#lead = line;
    this.#verbatim ||= isVerbatimStyle(content);
    return line + 1;
  }

  /** Comments and conditions stand between blocks, or between a block and the lines that lead it. */
  #readAside(line: number): number {
    let end = line + 1;
    while (end < this.#lines.count && isAside(this.#content(end))) end++;
    if (this.#lead < 0) this.#add(line, end, BlockKind.prose);
    return end;
  }

  #openContainer(line: number, content: string): number {
    this.#endLead(line);
    // A container of the same kind within itself needs a delimiter of another length, so the same line closes it.
    if (this.#containers.includes(content)) {
      while (this.#containers.pop() !== content);
    } else this.#containers.push(content);
    return line + 1;
  }

  #readDelimited(line: number, content: string, delimiter: 'verbatim' | 'table' | 'comment'): number {
    const end = this.#delimitedEnd(line, content);
    const kind = delimiter === 'table' ? BlockKind.table : BlockKind.code;
    return this.#add(line, end, delimiter === 'comment' ? BlockKind.prose : kind);
  }

  /** The line after the one that closes the block; one that is never closed runs to the end. */
  #delimitedEnd(line: number, content: string): number {
    const closing = closingOf(content);
    let end = line + 1;
    while (end < this.#lines.count && this.#content(end) !== closing) end++;
    return Math.min(end + 1, this.#lines.count);
  }

  #readParagraph(line: number, content: string): number {
    const item = itemOf(content.trimStart());
    if (item !== undefined && !this.#verbatim) return this.#readList(line, item);
    const literal = this.#verbatim || /^\s/.test(content);
    let end = line + 1;
    while (end < this.#lines.count && !this.#lines.isBlank(end) && !this.#interrupts(end, literal)) end++;
    return this.#add(line, end, literal ? BlockKind.code : BlockKind.prose);
  }

  /** A run of items with what is attached to them, or one described term. */
  #readList(line: number, kind: 'item' | 'term'): number {
    const lines = this.#lines;
    let end = line + 1;
    // Several terms in a row share the description below the last one.
    while (end < lines.count && isBareTerm(this.#content(end - 1)) && isBareTerm(this.#content(end))) end++;
    let attached = isBareTerm(this.#content(end - 1));
    for (let at = end; at < lines.count; ) {
      if (lines.isBlank(at)) {
        at++;
        continue;
      }
      const content = this.#content(at);
      const afterBlank = at > end;
      const delimiter = delimiterOf(content);
      if (content === '+') {
        attached = true;
        at++;
      } else if (attached && delimiter !== undefined) {
        at = this.#delimitedEnd(at, content);
        attached = false;
      } else if (attached && leadsBlock(content)) at++;
      else if (this.#endsList(content, afterBlank && !attached, kind, delimiter)) break;
      else {
        attached = false;
        at++;
      }
      end = at;
    }
    return this.#add(line, end, BlockKind.list);
  }

  #endsList(content: string, afterBlank: boolean, kind: 'item' | 'term', delimiter: unknown): boolean {
    if (delimiter !== undefined || content === this.#containers.at(-1)) return true;
    const item = itemOf(content.trimStart());
    // The next term is a block of its own; what is marked deeper belongs to this one.
    if (item === 'term' && !/^\s/.test(content)) return kind === 'item' || /[^:]::(?:\s|$)/.test(content);
    if (item !== undefined) return false;
    return leadsBlock(content) || (afterBlank && !/^\s/.test(content));
  }

  /** Whether a line ends the paragraph above it though no blank line is between. */
  #interrupts(line: number, literal: boolean): boolean {
    const content = this.#content(line);
    if (content === this.#containers.at(-1) || (!literal && content === '+')) return true;
    return delimiterOf(content) !== undefined || isCondition(content) || /^\[[\w,."'%#[-].*\]$/.test(content);
  }

  #begins(line: number): boolean {
    const content = this.#content(line);
    return delimiterOf(content) !== undefined || leadsBlock(content) || headingOf(content) !== undefined;
  }

  #headingLines(line: number): { level: number; text: string; lines: number } | undefined {
    const content = this.#content(line);
    const heading = headingOf(content);
    if (heading) return { ...heading, lines: 1 };
    if (line + 1 >= this.#lines.count || leadsBlock(content) || delimiterOf(content)) return undefined;
    const level = underlinedLevel(content, this.#content(line + 1));
    return level > 0 ? { level, text: content.trim(), lines: 2 } : undefined;
  }

  #addHeading(line: number, heading: { level: number; text: string; lines: number }): number {
    const end = line + heading.lines;
    this.#outline.heading(
      this.#lines.start(line),
      this.#lines.contentEnd(end - 1),
      heading.level,
      heading.text,
    );
    return end;
  }

  /** Lead lines that no block follows are prose. */
  #endLead(line: number): void {
    if (this.#lead >= 0) this.#add(this.#lead, line, BlockKind.prose);
  }

  #add(from: number, to: number, kind: Kind): number {
    const first = this.#lead >= 0 ? this.#lead : from;
    this.#outline.block(this.#lines.start(first), this.#lines.trimmedEnd(first, to), kind);
    this.#lead = -1;
    this.#verbatim = false;
    return to;
  }

  #content(line: number): string {
    return this.#lines.line(line).trimEnd();
  }
}

function isBareTerm(content: string): boolean {
  return /::$/.test(content) && itemOf(content) === 'term';
}
