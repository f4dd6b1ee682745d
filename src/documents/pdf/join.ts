import { needsBlank } from './letters.js';
import { LEADER } from './lines.js';
import type { Paragraph, PlacedLine } from './paragraphs.js';

/** A paragraph's text, and where in it each page begins that is not the first line's. */
export interface JoinedText {
  readonly text: string;
  readonly pageStarts: readonly { page: number; at: number }[];
}

/** Share of its column that a line leaves free if its end was meant. */
const HARD_BREAK = 0.3;
const HYPHEN_AT_END = /\p{L}[-\u2010\u00AD]$/u;

/** Words that a document holds within lines: they say whether `well-` and `known` are one word or two. */
export class WordList {
  readonly #words = new Set<string>();

  constructor(paragraphs: readonly Paragraph[]) {
    for (const { lines } of paragraphs) {
      for (const { text } of lines) {
        for (const [word] of text.toLowerCase().matchAll(/\p{L}+(?:[-\u2010]\p{L}+)*/gu))
          this.#words.add(word);
      }
    }
  }

  /** Whether the hyphen between two parts of a word at the end of a line belongs to the word. */
  keepsHyphen(first: string, second: string): boolean {
    const [head, tail] = [first.toLowerCase(), second.toLowerCase()];
    return !this.#words.has(head + tail) && this.#words.has(`${head}-${tail}`);
  }
}

/**
 * Lines as running text. A hyphen at the end of a line goes if a lower case letter follows, unless the document has
 * the same word with its hyphen elsewhere and never without. Code keeps its lines and its indentation.
 */
export function joinLines(lines: readonly PlacedLine[], words: WordList): JoinedText {
  const parts: string[] = [];
  const pageStarts: { page: number; at: number }[] = [];
  let length = 0;
  const add = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  const left = lines.reduce((least, line) => Math.min(least, line.x), Number.POSITIVE_INFINITY);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    let text = line.text;
    if (line.monospace) text = indentation(line, left) + text;
    const next = lines[i + 1];
    const separator = next && separatorAfter(line, next);
    if (next && separator !== '\n' && HYPHEN_AT_END.test(text) && /^\p{Ll}/u.test(next.text)) {
      add(hyphenKept(text, next.text, words) ? text : text.slice(0, -1));
    } else add(text + (separator ?? ''));
    if (next && next.page !== line.page) pageStarts.push({ page: next.page, at: length });
  }
  return { text: parts.join(''), pageStarts };
}

function separatorAfter(line: PlacedLine, next: PlacedLine): string {
  if (line.monospace) return '\n';
  const { right, column, cells, size } = line;
  const short = column.right - right > HARD_BREAK * (column.right - column.x);
  if (next.cells > 1 || (cells > 1 && !/^\p{Ll}/u.test(next.text))) return '\n';
  // An entry of a table of contents ends in its page number.
  if (line.text.includes(LEADER)) return '\n';
  const word = next.text.split(' ', 1)[0]!.length * size * 0.5;
  if (short && column.right - right > word && !/^\p{Ll}/u.test(next.text)) return '\n';
  return needsBlank(line.text, next.text) ? ' ' : '';
}

function hyphenKept(before: string, after: string, words: WordList): boolean {
  // A soft hyphen is there for the break alone.
  if (before.endsWith('\u00AD')) return false;
  const head = /(\p{L}+)[-\u2010]$/u.exec(before)?.[1];
  const tail = /^\p{L}+/u.exec(after)?.[0];
  return head !== undefined && tail !== undefined && words.keepsHyphen(head, tail);
}

function indentation({ x, right, text }: PlacedLine, left: number): string {
  const width = (right - x) / Math.max(1, text.length);
  return width > 0 ? ' '.repeat(Math.min(40, Math.round((x - left) / width))) : '';
}
