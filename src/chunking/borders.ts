/** Where an over-long table, code block or list may be cut, and what its later parts repeat of its head. */

import { BlockKind } from '../model/document.js';
import { countUpTo } from '../model/sorted.js';
import { followsBlankLine } from './cuts.js';
import { markupTableRows } from './markup-tables.js';
import type { Span } from './scope.js';
import { nextLine, trimEnd } from './white.js';

export interface Borders {
  /** Positions at which a part may begin, ascending; the first is the block's own start. */
  readonly at: readonly number[];
  /** Which of them are better than the others. */
  readonly isStrong: (index: number) => boolean;
  /** What each part but the first says before its slice: '' or lines that each end in LF. */
  readonly head: string;
}

/** The borders that lie in a portion of their block, which itself begins at one of them, or where a window was cut. */
export function clipBorders(borders: Borders, portion: Span): Borders {
  const { at, isStrong, head } = borders;
  const first = countUpTo(at, portion.start);
  const inside = at.slice(first, countUpTo(at, portion.end - 1));
  return {
    at: [portion.start, ...inside],
    isStrong: (index) => isStrong(Math.max(0, first + index - 1)),
    head,
  };
}

/** Borders of a block, or undefined where it is best cut as prose. */
export function bordersOf(text: string, block: Span, kind: BlockKind): Borders | undefined {
  const lines = lineStartsIn(text, block);
  if (kind === BlockKind.table) return tableBorders(text, block, lines);
  if (kind === BlockKind.code) return codeBorders(text, lines);
  if (kind === BlockKind.list) return listBorders(text, lines);
  return undefined;
}

function lineStartsIn(text: string, block: Span): number[] {
  const starts: number[] = [];
  for (let at = block.start; at < block.end; at = nextLine(text, at, block.end)) starts.push(at);
  return starts;
}

/** Of a longer line only its beginning is looked at: a document may be one line, and many blocks may lie on it. */
const MAX_LINE_CHARS = 65_536;

function lineText(text: string, at: number): string {
  const end = nextLine(text, at, Math.min(text.length, at + MAX_LINE_CHARS));
  return text.slice(at, trimEnd(text, at, end));
}

/** The beginning of a line, which is all that tells a fence or an item. */
const OPENING_CHARS = 256;

function lineOpening(text: string, at: number): string {
  const end = nextLine(text, at, Math.min(text.length, at + OPENING_CHARS));
  return text.slice(at, trimEnd(text, at, end));
}

const SEPARATOR_ROW = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** Tables with a head of more lines than this are taken to have none that is worth repeating. */
const MAX_HEAD_LINES = 6;

/**
 * Between rows. The head is all rows down to the line of dashes, which goes along in its shortest form; in a table
 * without such a line, it is the first row.
 */
function tableBorders(text: string, block: Span, lines: readonly number[]): Borders {
  const markup = markupTableRows(text, lines);
  if (markup) {
    const head = markup.head.map((index) => `${lineText(text, lines[index]!)}\n`).join('');
    return { at: [block.start, ...markup.rows.map((index) => lines[index]!)], isStrong: () => false, head };
  }
  const separator = lines.slice(0, MAX_HEAD_LINES).findIndex((at) => SEPARATOR_ROW.test(lineText(text, at)));
  const headLines = separator < 0 ? 1 : separator + 1;
  const head = lines.slice(0, headLines).map((at, row) => {
    const line = lineText(text, at);
    return row === separator ? line.replace(/-{4,}/g, '---').replace(/ {2,}/g, ' ') : line;
  });
  const at = [block.start, ...lines.slice(headLines)];
  return { at, isStrong: () => false, head: `${head.join('\n')}\n` };
}

const FENCE = /^\s*(?:`{3,}|~{3,})/;

/** Between lines, best after a blank one. A fence's opening line goes along, because it names the language. */
function codeBorders(text: string, lines: readonly number[]): Borders {
  const head = FENCE.test(lineOpening(text, lines[0]!)) ? `${lineText(text, lines[0]!)}\n` : '';
  // The opening fence alone is no part, and neither is the closing one.
  const last = lineOpening(text, lines.at(-1)!);
  const closed = head !== '' && lines.length > 2 && FENCE.test(last);
  const at = lines.filter(
    (_, line) => !(head !== '' && line === 1) && !(closed && line === lines.length - 1),
  );
  return { at, isStrong: (index) => followsBlankLine(text, at[index]!), head };
}

const ITEM = /^(\s*)(?:[-*+•]|\d{1,9}[.)]|[a-zA-Z][.)])\s/;

/** Between items of the outermost level; items of inner levels are weaker borders. */
function listBorders(text: string, lines: readonly number[]): Borders | undefined {
  const items = lines.flatMap((at) => {
    const match = ITEM.exec(lineOpening(text, at));
    return match === null ? [] : [{ at, indent: match[1]!.length }];
  });
  if (items.length < 2 || items[0]!.at !== lines[0]) return undefined;
  const outer = Math.min(...items.map((item) => item.indent));
  return {
    at: items.map((item) => item.at),
    isStrong: (index) => items[index]!.indent === outer,
    head: '',
  };
}
