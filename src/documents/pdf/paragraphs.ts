import { median } from './columns.js';
import type { Line } from './lines.js';

/** Lines that belong together, and the page that each stands on. */
export interface Paragraph {
  readonly lines: PlacedLine[];
  /** A list item, by the sign that it begins with. */
  readonly bullet: boolean;
}

/** A line on its page, counted from 0. */
export interface PlacedLine extends Line {
  readonly page: number;
  /** Texts of one page that are read in the same direction have the same. */
  readonly frame: number;
}

const BULLET = /^(?:[•◦▪▫‣●○■□►➢✓∙·⁃]|[-–—*](?= ))\s*/;
const NUMBERED = /^(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|\[\d{1,3}\])\s/;
const SENTENCE_END = /[.!?:;。！？：；…]["'”’»)\]]*$/;

/** How much wider than usual a distance between paragraphs is. */
const PARAGRAPH_DISTANCE = 1.3;
/** The same where a sentence goes on: a formula within a line pushes its neighbours away. */
const WITHIN_SENTENCE = 1.9;
/** Furthest that sizes within a paragraph differ, as a share. */
const SIZE_CHANGE = 0.08;
/** Least indentation that says something, in ems. */
const INDENT = 0.8;
/** Share of its column that a line leaves free if it ends a paragraph. */
const SHORT_LINE = 0.25;

/** @param lines in reading order */
export function paragraphsOf(lines: readonly PlacedLine[]): Paragraph[] {
  const distance = usualDistance(lines);
  const paragraphs: Paragraph[] = [];
  for (const line of lines) {
    const open = paragraphs.at(-1);
    if (open && continues(open, line, distance)) open.lines.push(line);
    else paragraphs.push({ lines: [line], bullet: !line.monospace && BULLET.test(line.text) });
  }
  return paragraphs;
}

/** The item without its sign. */
export function withoutBullet(text: string): string {
  return text.replace(BULLET, '');
}

/** From baseline to baseline within paragraphs, in ems. */
function usualDistance(lines: readonly PlacedLine[]): number {
  const distances: number[] = [];
  for (let i = 1; i < lines.length; i++) {
    const [above, line] = [lines[i - 1]!, lines[i]!];
    const ems = (line.y - above.y) / line.size;
    if (above.column === line.column && ems > 0.8 && ems < 3) distances.push(ems);
  }
  return median(distances) || 1.2;
}

function continues(open: Paragraph, line: PlacedLine, distance: number): boolean {
  const last = open.lines.at(-1)!;
  if (Math.abs(line.size - last.size) > SIZE_CHANGE * last.size) return false;
  if (last.monospace !== line.monospace || beginsItem(line, last)) return false;
  if (last.page !== line.page || last.column !== line.column || line.y <= last.y) {
    return flowsOn(last, line);
  }
  const ended = SENTENCE_END.test(last.text);
  const short = isShort(last);
  const goesOn = !ended && !short && /^\p{Ll}/u.test(line.text);
  const most = distance * (goesOn ? WITHIN_SENTENCE : PARAGRAPH_DISTANCE);
  if ((line.y - last.y) / Math.max(line.size, last.size) > most) return false;
  if (line.monospace) return true;
  const shift = (line.x - last.x) / line.size;
  const begins = ended || (short && !/^\p{Ll}/u.test(line.text));
  if (shift > INDENT && !open.bullet && begins) return false;
  if (shift < -INDENT && open.lines.length > 1) return false;
  // Ragged text has short lines too: only the end of a sentence makes a short line the last one.
  return !(ended && short);
}

function isShort({ right, column }: Line): boolean {
  return column.right - right > SHORT_LINE * (column.right - column.x);
}

function beginsItem(line: PlacedLine, last: PlacedLine): boolean {
  if (line.monospace) return false;
  return (
    BULLET.test(line.text) ||
    (NUMBERED.test(line.text) && (SENTENCE_END.test(last.text) || isShort(last) || NUMBERED.test(last.text)))
  );
}

/** Whether a sentence goes on in the next column or on the next page. */
function flowsOn(last: PlacedLine, line: PlacedLine): boolean {
  if (line.monospace || last.cells > 1 || line.cells > 1 || last.frame !== line.frame) return false;
  return /[\p{L}\p{N},\-\u2010\u00AD]$/u.test(last.text) && /^\p{Ll}/u.test(line.text);
}
