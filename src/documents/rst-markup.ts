/** What the first line of a block of reStructuredText says the block is. */

/** Directives whose content is shown as it stands. */
const CODE_DIRECTIVES = new Set(
  (
    'code code-block sourcecode parsed-literal highlight doctest testcode testoutput testsetup testcleanup prompt ' +
    'ipython productionlist math raw graphviz digraph graph uml mermaid plot literalinclude'
  ).split(' '),
);
const TABLE_DIRECTIVES = new Set(['table', 'csv-table', 'list-table', 'flat-table']);

const EXPLICIT = /^\.\.(?:\s|$)/;
const DIRECTIVE = /^\.\.\s+(?:\|[^|]+\|\s+)?([a-z][\w.:+-]*?)\s?::(?:\s|$)/i;
const SUBSTITUTION = /^\.\.\s+\|/;

export type ExplicitMarkup = 'code' | 'table' | 'container' | 'note';

/**
 * Explicit markup by its first line: a directive, or a 'note' (comment, footnote, link target, substitution) that is
 * one block with all that is indented below it. Undefined for what is none.
 */
export function explicitMarkup(content: string): ExplicitMarkup | undefined {
  if (!EXPLICIT.test(content)) return undefined;
  const name = DIRECTIVE.exec(content)?.[1]?.toLowerCase();
  if (name === undefined || SUBSTITUTION.test(content)) return 'note';
  if (CODE_DIRECTIVES.has(name)) return 'code';
  return TABLE_DIRECTIVES.has(name) ? 'table' : 'container';
}

const BULLET = /^[-+*•‣⁃](?:\s|$)/;
const ENUMERATOR = /^\(?(?:\d{1,9}|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,8}|#)[.)](?:\s|$)/;
const FIELD = /^:(?![: ])(?:[^:\\]|\\.|:(?![ `]))*[^ ]:(?:\s|$)/;
const OPTION =
  /^(?:(?:-[a-zA-Z0-9]|--?[a-zA-Z0-9][\w-]*|\/[A-Z])(?:[ =](?:[a-zA-Z][\w-]*|<[^>]+>))?(?:, |(?= {2}|$)))+(?: {2}|$)/;

/** Kinds of list items: items of a kind that follow each other are one list. */
export type RstItem = 'bullet' | 'enumerator' | 'field' | 'option';

export function itemOf(content: string): RstItem | undefined {
  if (BULLET.test(content)) return 'bullet';
  if (ENUMERATOR.test(content)) return 'enumerator';
  if (FIELD.test(content)) return 'field';
  return OPTION.test(content) ? 'option' : undefined;
}

/** Name and value of a field's first line. */
export function fieldOf(content: string): { name: string; value: string } | undefined {
  const field = FIELD.exec(content);
  if (!field) return undefined;
  const marker = field[0].trimEnd();
  return { name: marker.slice(1, -1).toLowerCase(), value: content.slice(marker.length).trim() };
}

/** Whether a line is the first of something that cannot be a title, whatever the line below it looks like. */
export function isBlockMark(content: string): boolean {
  return EXPLICIT.test(content) || BULLET.test(content) || FIELD.test(content) || content.startsWith('>>> ');
}
