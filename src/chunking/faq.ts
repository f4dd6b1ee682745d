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
import { type TextLine, textLines } from './text-lines.js';

export interface Pairs {
  readonly marks: readonly Mark[];
  /** Pairs whose question is plainly one (any but a paragraph of one line), those of headings included. */
  readonly count: number;
  /** Share of the text, headings above the first question left out, that is in pairs. */
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

interface Question {
  readonly words: string;
  /** Where it ends on its line. */
  readonly end: number;
  readonly isPlain: boolean;
  readonly saysSo: boolean;
}

export function findPairs(document: Document): Pairs {
  const lines = textLines(document);
  const questions = lines.map((_, row) => questionOf(lines, row));
  const marks: Mark[] = [];
  let [count, inPairs, all] = [0, 0, 0];
  let isInPair = false;
  for (let row = 0; row < lines.length; row++) {
    const line = lines[row]!;
    const last = questions[row] && lastRow(lines, questions, row);
    if (last !== undefined) {
      isInPair = true;
      if (questions[row]!.isPlain) count++;
      if (line.kind !== BlockKind.heading) marks.push(markOf(lines, questions, row, last));
    } else if (line.kind === BlockKind.heading) isInPair = false;
    for (const stop = last ?? row; row <= stop; row++) {
      const chars = lines[row]!.end - lines[row]!.start;
      if (isInPair) inPairs += chars;
      if (isInPair || line.kind !== BlockKind.heading) all += chars;
    }
    row--;
  }
  return { marks, count, share: all === 0 ? 0 : inPairs / all };
}

function questionOf(lines: readonly TextLine[], row: number): Question | undefined {
  const line = lines[row]!;
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
  const isAlone = line.isFirst && lines[row + 1]?.block !== line.block;
  return isAlone ? asked(line, text, line.end, false, false) : undefined;
}

function asked(line: TextLine, words: string, end: number, isPlain: boolean, saysSo: boolean): Question {
  return { words, end: Math.min(end, line.end), isPlain, saysSo };
}

/** The position of a character of `line.text` in the document; white space before the line is not in it. */
function positionIn(line: TextLine, at: number): number {
  return line.start + line.indent + at;
}

/** The last line of the question, or undefined where no answer follows. */
function lastRow(
  lines: readonly TextLine[],
  questions: ReadonlyArray<Question | undefined>,
  row: number,
): number | undefined {
  let last = row;
  if (questions[row]!.saysSo && !hasMoreAt(questions, lines, row))
    last = rowBeforeAnswer(lines, questions, row);
  // Questions in a row are answered together.
  while (!hasMoreAt(questions, lines, last) && questions[last + 1] && !questions[last + 1]!.saysSo) {
    if (lines[last + 1]!.kind === BlockKind.heading || lines[last]!.kind === BlockKind.heading) break;
    last++;
  }
  if (hasMoreAt(questions, lines, last)) return last;
  const [line, next] = [lines[last]!, lines[last + 1]];
  if (next === undefined || next.kind === BlockKind.heading || questions[last + 1]) return undefined;
  // The next item of a list of questions answers nothing, unless it lies below this one.
  const isSibling = BULLET.test(line.text) && BULLET.test(next.text) && next.indent <= line.indent;
  return isSibling && !SAYS_ANSWER.test(next.text) ? undefined : last;
}

function hasMoreAt(
  questions: ReadonlyArray<Question | undefined>,
  lines: readonly TextLine[],
  row: number,
): boolean {
  const question = questions[row];
  return question !== undefined && question.end < lines[row]!.end;
}

/** A question that says so goes on to the line before its 'A:', if there is one near. */
function rowBeforeAnswer(
  lines: readonly TextLine[],
  questions: ReadonlyArray<Question | undefined>,
  row: number,
): number {
  for (let at = row + 1; at <= row + MAX_QUESTION_LINES && at < lines.length; at++) {
    if (SAYS_ANSWER.test(lines[at]!.text)) return at - 1;
    if (questions[at]?.saysSo || lines[at]!.kind === BlockKind.heading) break;
  }
  return row;
}

function markOf(
  lines: readonly TextLine[],
  questions: ReadonlyArray<Question | undefined>,
  row: number,
  last: number,
): Mark {
  const question = questions[row]!;
  // A question that goes on over lines has no second one among them.
  const more = questions[last] === undefined ? lines.slice(row + 1, last + 1).map(({ text }) => text) : [];
  return {
    start: lines[row]!.start,
    end: questions[last]?.end ?? lines[last]!.end,
    heading: headingOf([question.words, ...more].join(' ')),
    depth: 1,
    isHeading: true,
    sharesChunks: false,
  };
}

function headingOf(words: string): string {
  const line = words
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= MAX_HEADING_CHARS ? line : line.slice(0, MAX_HEADING_CHARS).toWellFormed();
}
