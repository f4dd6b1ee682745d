/**
 * 'recursive': cuts at the first separator of a list that occurs, and what is still over the limit at the next one; what
 * no separator makes small enough becomes token windows.
 *
 *  - Pieces of one level are merged up to the limit. Separators stay in the text: white space at the beginning of a
 *    separator belongs to what is before the cut, words behind it ('\n## ') to what follows, any other separator to
 *    what is before.
 *  - The overlap counts inside the limit. It is carried over in tokens, from the start of a word, also where a piece
 *    fills its chunk exactly; only where the next piece leaves less room is it that much shorter, because a piece that
 *    fits a chunk is kept whole.
 */

import { graphemeFloor } from './graphemes.js';
import type { Meter } from './meter.js';
import type { Piece } from './piece.js';
import type { Span } from './scope.js';
import { skipWhite, trimEnd, trimStart } from './white.js';
import { cutWindowsAfter, type LeadAt, overlapStart } from './windows.js';

export const DEFAULT_SEPARATORS: readonly string[] = ['\n## ', '\n\n', '\n', '. ', ', ', ' '];

/** A separator ready to be looked for. */
export interface Separator {
  readonly literal: string;
  /** With its line ends as any line end. */
  readonly pattern: RegExp;
  /** Whether what stands behind its leading white space belongs to the next piece. */
  readonly opens: boolean;
}

/** LF in a separator stands for any line end. */
export function compileSeparators(separators: readonly string[]): Separator[] {
  return separators.map((separator) => {
    const escaped = separator.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    const source = escaped.replace(/\r\n|\r|\n/g, '(?:\\r\\n|\\n|\\r(?!\\n))');
    return { literal: separator, pattern: new RegExp(source, 'g'), opens: /^\s+\S/.test(separator) };
  });
}

/** Cuts `[from, to)`. A span without text gives none. */
export function cutRecursively(
  meter: Meter,
  from: number,
  to: number,
  separators: readonly Separator[],
  overlapTokens: number,
  leadAt: LeadAt,
): Piece[] {
  const cutter = new Cutter(meter, separators, overlapTokens, leadAt);
  const last = trimEnd(meter.text, from, to);
  cutter.cut({ start: trimStart(meter.text, from, last), end: last }, 0);
  return cutter.pieces;
}

class Cutter {
  readonly pieces: Piece[] = [];

  constructor(
    readonly meter: Meter,
    readonly separators: readonly Separator[],
    readonly overlapTokens: number,
    readonly leadAt: LeadAt,
  ) {}

  /** Cuts a span at the separators from `level` on. */
  cut(span: Span, level: number): void {
    if (span.end <= span.start) return;
    const separator = this.#fits(span.start, span.end) ? undefined : this.separators[level];
    if (separator === undefined) {
      this.#emit(this.#from(span), span.end);
      return;
    }
    let open: Span | undefined;
    for (const part of splitAt(this.meter.text, span, separator)) {
      if (open !== undefined && this.#fits(open.start, part.end)) {
        open = { start: open.start, end: part.end };
        continue;
      }
      if (open !== undefined) this.#emit(open.start, open.end);
      open = undefined;
      if (this.#fits(part.start, part.end)) open = { start: this.#from(part), end: part.end };
      else this.cut(part, level + 1);
    }
    if (open !== undefined) this.#emit(open.start, open.end);
  }

  /** Where the chunk begins that takes a part: with as much of the overlap as leaves room for it. */
  #from(part: Span): number {
    const { meter, overlapTokens } = this;
    const fresh = trimStart(meter.text, part.start, part.end);
    const previous = this.pieces.at(-1);
    if (previous === undefined || overlapTokens === 0) return fresh;
    const room = meter.room(this.leadAt(fresh)) - meter.estimate(fresh, part.end);
    const start = overlapStart(
      meter,
      previous,
      part.end,
      room > 0 ? Math.min(room, overlapTokens) : overlapTokens,
    );
    // Rounding to a word may have cost the room.
    return room > 0 && !this.#fits(start, part.end) ? fresh : start;
  }

  #fits(start: number, end: number): boolean {
    return this.meter.fits(this.leadAt(start), start, end);
  }

  /** One chunk, or windows where it is over the limit, which only an exact count may find. */
  #emit(from: number, end: number): void {
    const { meter, overlapTokens, leadAt } = this;
    const pieces = cutWindowsAfter(this.pieces.at(-1), meter, from, end, overlapTokens, leadAt);
    for (const piece of pieces) this.pieces.push(piece);
  }
}

/** The parts of a span between separators; white space alone is no part, it goes with the one before. */
function splitAt(text: string, span: Span, { literal, pattern, opens }: Separator): Span[] {
  // Only this much of the text is looked through: a search to its end, once a span, would be quadratic.
  const part = text.slice(span.start, span.end);
  const parts: Span[] = [];
  let start = span.start;
  let solid = skipWhite(text, start, span.end);
  const cutAt = (index: number, length: number) => {
    const found = span.start + index;
    const at = opens ? skipWhite(text, found, found + length) : found + length;
    if (at <= solid || at >= span.end || graphemeFloor(text, at) !== at) return;
    parts.push({ start, end: at });
    start = at;
    solid = skipWhite(text, start, span.end);
  };
  if (isLiteral(literal, part)) {
    const { length } = literal;
    for (let at = part.indexOf(literal); at >= 0; at = part.indexOf(literal, at + length)) cutAt(at, length);
  } else for (const match of part.matchAll(pattern)) cutAt(match.index, match[0].length);
  parts.push({ start, end: span.end });
  return parts;
}

/** Whether the separator can be looked for as it is, which is several times as fast. */
function isLiteral(separator: string, text: string): boolean {
  return !/[\r\n]/.test(separator) || (!separator.includes('\r') && !text.includes('\r'));
}
