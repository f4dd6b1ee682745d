import { BlockKind, type BlockKind as Kind, type Metadata } from '../model/document.js';
import { IndentedLines } from './indented-lines.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';
import { isTransition, rstHeadingAt } from './rst-heading.js';
import { explicitMarkup, fieldOf, isBlockMark, itemOf, type RstItem } from './rst-markup.js';
import { rstTableEnd } from './rst-tables.js';
import { addParagraphs } from './text.js';

/** Deepest nesting of directives and quotes that is looked into; what lies deeper is prose. */
const MAX_DEPTH = 16;

/**
 * reStructuredText: the text is the source itself. Headings are told by their rules, levels by the order in which
 * styles first appear. Directives that hold text (notes, warnings, descriptions of functions) and quotes are looked
 * into: their paragraphs, code and tables are blocks of their own. Comments, footnotes and link targets stay prose.
 * Fields before the first heading, and the header lines of a PEP, are front matter; fields right below the first
 * heading are a list and metadata both. Never throws; linear in the size for a given depth.
 */
export function readRst(text: string): ParsedText {
  return new RstReader(text).read();
}

class RstReader {
  readonly #lines: IndentedLines;
  readonly #outline = new Outline();
  readonly #styles: string[] = [];
  #metadata: Metadata = {};
  /** Only fields count as the document's own that nothing but headings comes before. */
  #bodyBegan = false;

  constructor(readonly text: string) {
    this.#lines = new IndentedLines(text);
  }

  read(): ParsedText {
    this.#readBlocks(this.#pepHeader(), this.#lines.count, 0, 0);
    const { title } = this.#metadata;
    return {
      text: this.text,
      title: typeof title === 'string' && title !== '' ? title : this.#outline.firstHeading(),
      metadata: this.#metadata,
      ...this.#outline.build(this.text.length),
    };
  }

  /** Header lines like those of mail at the start of a Python enhancement proposal; returns the line after them. */
  #pepHeader(): number {
    const lines = this.#lines;
    if (lines.count === 0 || !/^PEP:\s*\d+\s*$/.test(lines.line(0))) return 0;
    let end = 0;
    let name = '';
    const entries = new Map<string, string>();
    for (; end < lines.count && lines.indent[end]! >= 0; end++) {
      const field = lines.indent[end] === 0 ? /^([\w-]+):(.*)$/.exec(lines.line(end)) : null;
      if (field) name = field[1]!.toLowerCase();
      const value = (field?.[2] ?? lines.line(end)).trim();
      entries.set(name, field ? value : `${entries.get(name)} ${value}`);
    }
    this.#metadata = Object.fromEntries(entries);
    this.#add(0, end, BlockKind.frontMatter);
    return end;
  }

  /** The lines [from, to), whose own paragraphs begin at `column`. */
  #readBlocks(from: number, to: number, column: number, depth: number): void {
    if (depth > MAX_DEPTH) {
      addParagraphs(this.#lines, from, to, this.#outline, BlockKind.prose);
      return;
    }
    for (let line = from; line < to; ) {
      const own = this.#lines.indent[line]!;
      if (own < 0) line++;
      else if (own > column) line = this.#readIndented(line, to, column + 1, depth);
      else line = (depth === 0 ? this.#readHeading(line) : 0) || this.#readBlock(line, to, depth);
    }
  }

  #readIndented(line: number, to: number, column: number, depth: number): number {
    const end = this.#lines.indentedEnd(line, to, column);
    this.#readBlocks(line, end, this.#lines.leastIndent(line, end), depth + 1);
    return end;
  }

  /** The line after the heading or transition, 0 if neither begins here. */
  #readHeading(line: number): number {
    const lines = this.#lines;
    const heading = isBlockMark(lines.content(line)) ? undefined : rstHeadingAt(lines, line);
    if (!heading) return isTransition(lines, line) ? line + 1 : 0;
    let level = this.#styles.indexOf(heading.style) + 1;
    if (level === 0) level = this.#styles.push(heading.style);
    const end = line + heading.lines;
    this.#outline.heading(lines.start(line), lines.contentEnd(end - 1), level, heading.text);
    return end;
  }

  #readBlock(line: number, to: number, depth: number): number {
    const lines = this.#lines;
    const content = lines.content(line);
    const tableEnd = rstTableEnd(lines, line, to);
    if (tableEnd !== undefined) return this.#add(line, tableEnd, BlockKind.table);
    if (explicitMarkup(content)) return this.#readExplicit(line, to, depth);
    if (content.startsWith('>>> ')) return this.#add(line, this.#paragraphEnd(line, to), BlockKind.code);
    return this.#readList(line, to) || this.#readText(line, to);
  }

  #readExplicit(line: number, to: number, depth: number): number {
    const lines = this.#lines;
    const column = lines.indent[line]!;
    const content = lines.content(line);
    const markup = explicitMarkup(content);
    // An empty comment ends what is indented before it, and owns nothing that comes after a blank line.
    const isEmpty = content === '..' && (lines.indent[line + 1] ?? -1) < 0;
    const end = isEmpty ? line + 1 : lines.indentedEnd(line + 1, to, column + 1);
    if (markup === 'code' || markup === 'table') {
      return this.#add(line, end, markup === 'code' ? BlockKind.code : BlockKind.table);
    }
    let head = end;
    if (markup === 'container') {
      head = line + 1;
      while (head < end && lines.indent[head]! >= 0) head++;
    }
    const bodyBegan = this.#bodyBegan || markup !== 'note';
    this.#add(line, head, BlockKind.prose);
    this.#bodyBegan = bodyBegan;
    if (head < end) this.#readBlocks(head, end, lines.leastIndent(head, end), depth + 1);
    return end;
  }

  /** The line after the run of items of one kind, 0 if no list begins here. */
  #readList(line: number, to: number): number {
    const lines = this.#lines;
    const column = lines.indent[line]!;
    const item = itemOf(lines.content(line));
    if (item === undefined || !this.#beginsItem(line, to, item)) return 0;
    let end = line;
    let next = line;
    while (next < to && lines.indent[next] === column && this.#beginsItem(next, to, item)) {
      end = lines.indentedEnd(next + 1, to, column + 1);
      // Long descriptions of options are better packed one by one.
      if (item === 'option') this.#add(next, end, BlockKind.list);
      next = end;
      while (next < to && lines.indent[next]! < 0) next++;
    }
    if (item === 'option') return end;
    const isOwn = item === 'field' && column === 0 && !this.#bodyBegan;
    if (isOwn) this.#takeFields(line, end);
    const isFront = isOwn && this.#styles.length === 0;
    this.#add(line, end, isFront ? BlockKind.frontMatter : BlockKind.list);
    this.#bodyBegan = !isFront;
    return end;
  }

  #beginsItem(line: number, to: number, item: RstItem): boolean {
    const lines = this.#lines;
    if (itemOf(lines.content(line)) !== item) return false;
    // "A. Milne wrote it\nin a year." is a paragraph: an item's second line is indented.
    const below = line + 1 < to ? lines.indent[line + 1]! : -1;
    return item !== 'enumerator' || below !== lines.indent[line] || itemOf(lines.content(line + 1)) === item;
  }

  /** Makes metadata of the document's own fields. */
  #takeFields(from: number, to: number): void {
    const lines = this.#lines;
    const entries = new Map<string, string>();
    let name = '';
    for (let line = from; line < to; line++) {
      const field = lines.indent[line] === 0 ? fieldOf(lines.content(line)) : undefined;
      if (field) name = field.name;
      const value = field?.value ?? lines.content(line);
      entries.set(name, field ? value : `${entries.get(name)} ${value}`.trim());
    }
    this.#metadata = { ...Object.fromEntries(entries), ...this.#metadata };
  }

  /** A paragraph, the literal block that it announces, or a term and its definition. */
  #readText(line: number, to: number): number {
    const lines = this.#lines;
    const column = lines.indent[line]!;
    const end = this.#paragraphEnd(line, to);
    const announces = lines.content(end - 1).endsWith('::');
    const below = end < to ? lines.indent[end]! : -1;
    if (end === line + 1 && below > column && !announces) {
      return this.#add(line, lines.indentedEnd(end, to, column + 1), BlockKind.list);
    }
    this.#add(line, end, BlockKind.prose);
    return announces ? this.#readLiteral(end, to, column) : end;
  }

  #paragraphEnd(line: number, to: number): number {
    return this.#lines.levelEnd(line, to, this.#lines.indent[line]!);
  }

  /** Indented lines after `::`, or lines that all begin with the same mark; returns the line after them. */
  #readLiteral(from: number, to: number, column: number): number {
    const lines = this.#lines;
    let start = from;
    while (start < to && lines.indent[start]! < 0) start++;
    if (start === to || lines.indent[start]! < column) return start;
    if (lines.indent[start]! > column) {
      return this.#add(start, lines.indentedEnd(start, to, column + 1), BlockKind.code);
    }
    const mark = lines.content(start)[0]!;
    if (!/[!-/:-@[-`{-~]/.test(mark) || explicitMarkup(lines.content(start))) return start;
    let end = start;
    while (end < to && lines.indent[end] === column && lines.content(end)[0] === mark) end++;
    // Headings and transitions look the same.
    return end < to && lines.indent[end]! >= 0 ? start : this.#add(start, end, BlockKind.code);
  }

  #add(from: number, to: number, kind: Kind): number {
    this.#bodyBegan = true;
    this.#outline.block(this.#lines.start(from), this.#lines.trimmedEnd(from, to), kind);
    return to;
  }
}
