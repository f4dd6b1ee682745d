/**
 * Questions and their answers. A question is
 *
 *  - a line that says so: 'Q:', 'Question 3:', '问：', answered by 'A:', 'Answer:', '答：';
 *  - a heading that ends in a question mark: the reader made a section of it already;
 *  - a bold line, a list item, a numbered line or a paragraph of one line that ends in a question mark. So arrive the
 *    `<dt>` and `<summary>` of HTML.
 *
 * It counts only if text follows that is no question itself; of several questions in a row the first opens the pair.
 */

import { BlockKind, type Document } from '../model/document.js';
import type { Mark } from './reoutline.js';
import { type TextLine, TextLines } from './text-lines.js';

export interface Pairs {
  readonly marks: readonly Mark[];
  /** Pairs whose question is plainly one (any but a paragraph of one line), those of headings included. */
  readonly count: number;
  /** Share of the text, headings above the first question left out, that is in pairs no longer than answers are. */
  readonly share: number;
}

const SAYS_QUESTION =
  /^(?:[-*+•]\s+)?(?:\*\*|__)?(?:q|question|frage|问|問)\s*\d{0,3}\s*(?:[:：]|\.(?=\s|\*\*|__)|\))(?:\*\*|__)?\s*/i;
const SAYS_ANSWER =
  /^(?:[-*+•]\s+)?(?:\*\*|__)?(?:a|answer|antwort|答)\s*\d{0,3}\s*(?:[:：]|\.(?=\s|\*\*|__)|\))/i;
const ENDS_ASKING = /[?？؟]["'”’»)\]*_]*$/;
/** The first question mark on a line, with an answer behind it. */
const ASKS_FIRST = /^.{1,300}?[?？؟](?:\*\*|__)?(?=\s+\S)/;
const BULLET = /^(?:[-*+•]|\(?\d{1,3}[.)])\s+/;
/** A bold question may have its answer behind it on the same line. */
const BOLD = /^(?:\*\*|__)(.{1,300}?[?？؟])(?:\*\*|__)/;

/** A question that says so may go on for so many lines before its answer. */
const MAX_QUESTION_LINES = 10;
const MAX_HEADING_CHARS = 256;
/** No answer is longer: what stands behind is of something else, such as a list of tasks with a question now and then. */
const MAX_ANSWER_CHARS = 6000;

interface Question {
  readonly words: string;
  /** Where it ends on its line. */
  readonly end: number;
  readonly isPlain: boolean;
  readonly saysSo: boolean;
}

export function findPairs(document: Document): Pairs {
  const text = new Questions(document);
  const { lines } = text;
  const marks: Mark[] = [];
  let [count, inPairs, all] = [0, 0, 0];
  let isInPair = false;
  let room = 0;
  for (let row = 0; row < lines.length; row++) {
    const isHeading = lines.at(row)!.kind === BlockKind.heading;
    const question = text.at(row);
    const last = question && text.lastRow(row);
    if (last !== undefined) {
      isInPair = true;
      room = MAX_ANSWER_CHARS;
      if (question!.isPlain) count++;
      if (!isHeading) marks.push(text.markOf(row, last));
    } else if (isHeading) isInPair = false;
    for (const stop = last ?? row; row <= stop; row++) {
      const { start, end } = lines.at(row)!;
      const length = end - start;
      if (isInPair || !isHeading) all += length;
      if (!isInPair) continue;
      inPairs += Math.min(room, length);
      room -= Math.min(room, length);
    }
    row--;
  }
  return { marks, count, share: all === 0 ? 0 : inPairs / all };
}

function questionOf(lines: TextLines, row: number): Question | undefined {
  const line = lines.at(row)!;
  const { text } = line;
  if (line.kind === BlockKind.heading) {
    return line.isWhole && ENDS_ASKING.test(text) ? asked(line, text, line.end, true, false) : undefined;
  }
  const said = SAYS_QUESTION.exec(text)?.[0];
  if (said !== undefined) {
    const first = ASKS_FIRST.exec(text.slice(said.length))?.[0];
    const end = first === undefined ? line.end : positionIn(line, said.length + first.length);
    return asked(line, first ?? text.slice(said.length), end, true, true);
  }
  const bullet = BULLET.exec(text)?.[0] ?? '';
  const body = text.slice(bullet.length);
  const bold = BOLD.exec(body);
  if (bold) return asked(line, bold[1]!, positionIn(line, bullet.length + bold[0].length), true, false);
  if (!line.isWhole || !ENDS_ASKING.test(text)) return undefined;
  if (bullet !== '') return asked(line, body, line.end, true, false);
  const isAlone = line.isFirst && lines.at(row + 1)?.block !== line.block;
  return isAlone ? asked(line, text, line.end, false, false) : undefined;
}

function asked(line: TextLine, words: string, end: number, isPlain: boolean, saysSo: boolean): Question {
  return { words, end: Math.min(end, line.end), isPlain, saysSo };
}

/** The position of a character of `line.text` in the document; white space before the line is not in it. */
function positionIn(line: TextLine, at: number): number {
  return line.start + line.indent + at;
}

/** The questions of a document, by the line that they begin on. */
class Questions {
  readonly lines: TextLines;
  readonly #byRow = new Map<number, Question>();
  /** The last of a row of questions that nothing answers: they need not be gone through once for each of them. */
  #unansweredTo = -1;

  constructor(document: Document) {
    this.lines = new TextLines(document);
    for (let row = 0; row < this.lines.length; row++) {
      const question = questionOf(this.lines, row);
      if (question) this.#byRow.set(row, question);
    }
  }

  at(row: number): Question | undefined {
    return this.#byRow.get(row);
  }

  /** The last line of the question that begins at `row`, or undefined where no answer follows. Rows must ascend. */
  lastRow(row: number): number | undefined {
    if (row <= this.#unansweredTo) return undefined;
    let last = row;
    if (this.at(row)!.saysSo && !this.#hasMore(row)) last = this.#rowBeforeAnswer(row);
    while (!this.#hasMore(last) && this.#joins(last + 1, last)) last++;
    if (this.#hasMore(last) || this.#isAnswered(last)) return last;
    this.#unansweredTo = last;
    return undefined;
  }

  markOf(row: number, last: number): Mark {
    const question = this.at(row)!;
    // A question that goes on over lines has no second one among them.
    const more = this.at(last) === undefined ? last - row : 0;
    const words = Array.from({ length: more }, (_, i) => this.lines.at(row + 1 + i)!.text);
    return {
      start: this.lines.at(row)!.start,
      end: this.at(last)?.end ?? this.lines.at(last)!.end,
      heading: headingOf([question.words, ...words].join(' ')),
      depth: 1,
      isHeading: true,
      sharesChunks: false,
    };
  }

  /** Whether an answer stands behind the question on its line. */
  #hasMore(row: number): boolean {
    const question = this.at(row);
    return question !== undefined && question.end < this.lines.at(row)!.end;
  }

  /** Questions in a row are answered together, unless they say that they are questions, or are headings. */
  #joins(row: number, before: number): boolean {
    const question = this.at(row);
    if (question === undefined || question.saysSo) return false;
    return this.#kind(row) !== BlockKind.heading && this.#kind(before) !== BlockKind.heading;
  }

  #isAnswered(last: number): boolean {
    const [line, next] = [this.lines.at(last)!, this.lines.at(last + 1)];
    if (next === undefined || next.kind === BlockKind.heading || this.at(last + 1)) return false;
    // The next item of a list of questions answers nothing, unless it lies below this one.
    const isSibling = BULLET.test(line.text) && BULLET.test(next.text) && next.indent <= line.indent;
    return !isSibling || SAYS_ANSWER.test(next.text);
  }

  /** A question that says so goes on to the line before its 'A:', if there is one near. */
  #rowBeforeAnswer(row: number): number {
    for (let at = row + 1; at <= row + MAX_QUESTION_LINES; at++) {
      const line = this.lines.at(at);
      if (line === undefined || line.kind === BlockKind.heading || this.at(at)?.saysSo) break;
      if (SAYS_ANSWER.test(line.text)) return at - 1;
    }
    return row;
  }

  #kind(row: number): BlockKind | undefined {
    return this.lines.at(row)?.kind;
  }
}

function headingOf(words: string): string {
  const line = words
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= MAX_HEADING_CHARS ? line : line.slice(0, MAX_HEADING_CHARS).toWellFormed();
}
