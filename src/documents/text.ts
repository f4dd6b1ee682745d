import { BlockKind, type BlockKind as Kind } from '../model/document.js';
import { eachParagraph, LineTable } from './lines.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';

/** How headings are marked in a text file: not at all, by underlines (reStructuredText) or by `=` (AsciiDoc). */
export type TextMarkup = 'plain' | 'rst' | 'asciidoc';

const MARKUP_BY_EXTENSION: Readonly<Record<string, TextMarkup>> = {
  rst: 'rst',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
};

export function textMarkupOf(extension: string): TextMarkup {
  return MARKUP_BY_EXTENSION[extension] ?? 'plain';
}

/** Plain text: a block is a run of lines without a blank one between them. */
export function readText(text: string, markup: TextMarkup = 'plain'): ParsedText {
  const lines = new LineTable(text);
  const outline = new Outline();
  if (markup === 'rst') readRst(lines, outline);
  else if (markup === 'asciidoc') readAsciidoc(lines, outline);
  else addParagraphs(lines, 0, lines.count, outline, BlockKind.prose);
  return { text, title: outline.firstHeading(), metadata: {}, ...outline.build(text.length) };
}

/** Adds the paragraphs of the lines [first, end) as blocks of one kind. */
export function addParagraphs(
  lines: LineTable,
  first: number,
  end: number,
  outline: Outline,
  kind: Kind,
): void {
  eachParagraph(lines, first, end, (from, to) => {
    outline.block(lines.start(from), lines.contentEnd(to - 1), kind);
  });
}

const RST_RULE = /^([!-/:-@[-`{-~])\1*\s*$/;

/** Levels follow the order in which the styles of underlining first appear, as the format has it. */
function readRst(lines: LineTable, outline: Outline): void {
  const styles: string[] = [];
  let plainFrom = 0;
  for (let line = 0; line + 1 < lines.count; line++) {
    const found = rstHeading(lines, line, line === plainFrom || lines.isBlank(line - 1));
    if (!found) continue;
    addRstParagraphs(lines, plainFrom, line, outline);
    let level = styles.indexOf(found.style) + 1;
    if (level === 0) level = styles.push(found.style);
    const last = line + found.lines - 1;
    outline.heading(lines.start(line), lines.contentEnd(last), level, found.text);
    plainFrom = last + 1;
    line = last;
  }
  addRstParagraphs(lines, plainFrom, lines.count, outline);
}

/** A title under a blank line and over a rule at least as long; the rule may be repeated above the title. */
function rstHeading(
  lines: LineTable,
  line: number,
  afterBlank: boolean,
): { style: string; text: string; lines: number } | undefined {
  if (!afterBlank || lines.isBlank(line)) return undefined;
  const first = lines.line(line);
  const overline = RST_RULE.exec(first);
  if (overline && line + 2 < lines.count) {
    const below = lines.line(line + 2).trimEnd();
    const title = lines.line(line + 1).trim();
    if (title !== '' && below === first.trimEnd() && below.length >= title.length) {
      return { style: `over ${overline[1]}`, text: title, lines: 3 };
    }
  }
  const underline = RST_RULE.exec(lines.line(line + 1));
  if (overline || !underline || /^\s/.test(first)) return undefined;
  // East Asian titles are two columns a character, and a rule that is a little short is only a warning to docutils.
  if (underline[0].trimEnd().length < Math.min(4, first.trimEnd().length)) return undefined;
  return { style: underline[1]!, text: first.trim(), lines: 2 };
}

/** Indented text after a paragraph that ends in `::` is a literal block. */
function addRstParagraphs(lines: LineTable, first: number, end: number, outline: Outline): void {
  let literal = false;
  eachParagraph(lines, first, end, (from, to) => {
    const indented = /^\s/.test(lines.line(from));
    const code = literal && indented;
    outline.block(lines.start(from), lines.contentEnd(to - 1), code ? BlockKind.code : BlockKind.prose);
    literal =
      code ||
      /::\s*$/.test(lines.line(to - 1)) ||
      /^\.\. (?:code|code-block|sourcecode)::/.test(lines.line(from));
  });
}

const ASCIIDOC_HEADING = /^(={1,6})\s+(\S.*)$/;
const ASCIIDOC_LISTING = /^(-{4,}|\.{4,}|`{3,})\w*\s*$/;

/** Headings inside listings are text of the listing; one that is never closed runs to the end. */
function readAsciidoc(lines: LineTable, outline: Outline): void {
  let plainFrom = 0;
  for (let line = 0; line < lines.count; line++) {
    const content = lines.line(line);
    const heading = ASCIIDOC_HEADING.exec(content);
    const listing = heading ? null : ASCIIDOC_LISTING.exec(content);
    if (!heading && !listing) continue;
    addParagraphs(lines, plainFrom, line, outline, BlockKind.prose);
    if (heading) {
      outline.heading(lines.start(line), lines.contentEnd(line), heading[1]!.length, heading[2]!);
    } else {
      const from = line++;
      while (line < lines.count && lines.line(line).trimEnd() !== listing![1]) line++;
      outline.block(
        lines.start(from),
        lines.trimmedEnd(from, Math.min(line + 1, lines.count)),
        BlockKind.code,
      );
    }
    plainFrom = line + 1;
  }
  addParagraphs(lines, Math.min(plainFrom, lines.count), lines.count, outline, BlockKind.prose);
}
