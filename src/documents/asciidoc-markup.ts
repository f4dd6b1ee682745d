/** What a line of AsciiDoc says by itself. */

export type Delimiter =
  /** Shown as it stands, up to the same line again. */
  | 'verbatim'
  /** `|===` and its kin. */
  | 'table'
  | 'comment'
  /** Example, sidebar, quote, open block: holds blocks. */
  | 'container';

const VERBATIM = /^(?:-{4,}|\.{4,}|\+{4,}|`{3,}\w*)$/;
const TABLE = /^[|,:!]={3,}$/;
const COMMENT = /^\/{4,}$/;
const CONTAINER = /^(?:={4,}|\*{4,}|_{4,}|--)$/;

/** The kind of block that a line opens or closes; undefined for any other line. */
export function delimiterOf(content: string): Delimiter | undefined {
  if (VERBATIM.test(content)) return 'verbatim';
  if (TABLE.test(content)) return 'table';
  if (COMMENT.test(content)) return 'comment';
  return CONTAINER.test(content) ? 'container' : undefined;
}

/** The line that closes a block which this one opens. */
export function closingOf(content: string): string {
  return content.startsWith('`') ? content.replace(/\w+$/, '') : content;
}

const HEADING = /^(={1,6}|#{1,6})\s+(\S.*)$/;
const UNDERLINE_LEVELS = '=-~^+';

/** A heading of one line: its level from 1, and its words. */
export function headingOf(content: string): { level: number; text: string } | undefined {
  const heading = HEADING.exec(content);
  if (!heading) return undefined;
  const [, marks, words] = heading;
  // The marks may be repeated behind the title.
  const text = words!.endsWith(` ${marks}`) ? words!.slice(0, -marks!.length).trimEnd() : words!;
  return { level: marks!.length, text };
}

/** Level of a heading over a rule of almost its own length, 0 if the two lines are none. */
export function underlinedLevel(title: string, rule: string): number {
  const mark = rule[0] ?? '';
  const level = UNDERLINE_LEVELS.indexOf(mark) + 1;
  if (level === 0 || mark === '' || rule.length < 2 || !/\w|[^\0-\x7f]/.test(title)) return 0;
  if (Math.abs([...title].length - rule.length) > 1) return 0;
  return rule === mark.repeat(rule.length) ? level : 0;
}

const ATTRIBUTE_ENTRY = /^:(!?[\w][\w-]*!?):(?:[ \t]+(.*))?$/;

/** Name and value of a line such as `:toc: left`. */
export function attributeOf(content: string): { name: string; value: string } | undefined {
  const entry = ATTRIBUTE_ENTRY.exec(content);
  return entry ? { name: entry[1]!.toLowerCase(), value: (entry[2] ?? '').trim() } : undefined;
}

const BLOCK_ATTRIBUTES = /^\[(?:|[\w.#"'%,*!|][^\]]*(?:\][^\]]+)*|\[[^[\]]*\])\]$/;
const BLOCK_TITLE = /^\.(?![.\s])\S/;

/** Lines that belong to the block below them: `[source,ruby]`, `[[anchor]]`, `.Title`. */
export function leadsBlock(content: string): boolean {
  return BLOCK_ATTRIBUTES.test(content) || BLOCK_TITLE.test(content);
}

/** Whether attributes make a paragraph verbatim. */
export function isVerbatimStyle(content: string): boolean {
  return /^\[(?:source|listing|literal|stem|latexmath|asciimath|pass|ditaa|plantuml)\b|^\[,\s*\w/.test(
    content,
  );
}

const ITEM = /^(?:\*{1,6}|-|\.{1,6}|\d{1,9}\.|[a-zA-Z]\.|[ivxIVX]+\)|<(?:\d+|\.)>)\s+\S/;
const TERM = /^(?!\/\/)\S.*?(?:::{1,3}|;;)(?:\s+\S.*)?$/;

/** Whether a line begins an item, and of which kind of list. */
export function itemOf(content: string): 'item' | 'term' | undefined {
  if (ITEM.test(content)) return 'item';
  return TERM.test(content) ? 'term' : undefined;
}

/** Comments of one line, and conditions. */
export function isAside(content: string): boolean {
  return /^\/\/(?!\/)/.test(content) || isCondition(content);
}

/** Lines that tell a processor which parts to take. */
export function isCondition(content: string): boolean {
  return /^(?:ifdef|ifndef|ifeval|endif)::\S*\[.*\]$/.test(content);
}

/** Rules between parts of a page, which say nothing. */
export function isBreak(content: string): boolean {
  return content === "'''" || content === '<<<' || /^(?:-\s?-\s?-|\*\s?\*\s?\*)$/.test(content);
}
