import { needsBlank, plainLetters } from './letters.js';
import type { PdfTextItem, PdfTextStyle } from './library.js';

/**
 * Text on one line without a wide gap. Positions are in points in the run's own frame: x goes the way the text is
 * read, y goes down from line to line; so pages and texts that lie on their side are read like any other.
 */
export interface Run {
  text: string;
  x: number;
  right: number;
  /** Of the baseline. */
  y: number;
  /** Of the font, in points. */
  size: number;
  font: string;
  /** UTF-16 units in fonts whose letters are all of one width. */
  monospaced: number;
  /** UTF-16 units of its longest piece. */
  longest: number;
  readonly rightToLeft: boolean;
  /** Its place in the order in which the page draws. */
  readonly order: number;
}

/** The runs of a page that are read in one direction. */
export interface Frame {
  /** Of the reading direction against the page's x axis. */
  readonly degrees: number;
  /** UTF-16 units. */
  chars: number;
  readonly runs: Run[];
}

/** Widest gap within a run, in ems: between words that are drawn one after another, and between others. */
const MAX_DRAWN_GAP = 1.5;
const MAX_OTHER_GAP = 0.5;
/** Narrowest gap that stands for a blank, in ems, where none was drawn. */
const MIN_BLANK_GAP = 0.25;
/** Widest gap, in ems, between letters of a script without blanks that a justified line may have. */
const MAX_UNSPACED_GAP = 0.6;
/** Furthest that a superscript or subscript lies off its line, in ems. */
const MAX_SHIFT = 0.5;
/** Closest that a text is drawn over itself to look bold, in ems. */
const MAX_OVERPRINT = 0.15;

/** Puts the items of a page together, as they come, to runs in their frames. */
export class RunCollector {
  readonly #frames = new Map<number, Frame>();
  #last: { frame: Frame; run: Run; item: string; x: number; itemSize: number } | undefined;
  #blank = false;
  #order = 0;

  add(item: PdfTextItem, style: PdfTextStyle | undefined): void {
    if (item.str === '') return;
    if (item.str.trim() === '') {
      this.#blank = true;
      return;
    }
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = item.transform;
    const vertical = style?.vertical === true;
    const size = Math.hypot(c, d) || Math.hypot(a, b);
    const length = vertical ? item.height : item.width;
    if (![size, length, e, f].every(Number.isFinite) || size === 0) return;
    const turn = Math.round((Math.atan2(b, a) * 180) / Math.PI) - (vertical ? 90 : 0);
    const frame = this.#frame(((turn % 360) + 360) % 360);
    const radians = (frame.degrees * Math.PI) / 180;
    const x = e * Math.cos(radians) + f * Math.sin(radians);
    const y = e * Math.sin(radians) - f * Math.cos(radians);
    this.#place(frame, item, { x, y, size, right: x + length }, style?.fontFamily === 'monospace');
  }

  /** All frames, the one with most text first. */
  end(): Frame[] {
    return [...this.#frames.values()].sort((a, b) => b.chars - a.chars);
  }

  #frame(degrees: number): Frame {
    let frame = this.#frames.get(degrees);
    if (!frame) {
      frame = { degrees, chars: 0, runs: [] };
      this.#frames.set(degrees, frame);
    }
    return frame;
  }

  #place(frame: Frame, item: PdfTextItem, at: Placed, monospace: boolean): void {
    const text = plainLetters(item.str);
    const last = this.#last?.frame === frame ? this.#last : undefined;
    const rightToLeft = item.dir === 'rtl';
    if (last && last.item === item.str && overprints(last, at)) return;
    const gap = last && gapAfter(last.run, at, rightToLeft);
    if (last && gap !== undefined) {
      const blank = this.#blank || gap > MIN_BLANK_GAP * at.size;
      extend(
        last.run,
        at,
        { text, font: item.fontName, monospace },
        blank && !(gap < MAX_UNSPACED_GAP * at.size && !needsBlank(last.run.text, text)),
      );
      Object.assign(last, { item: item.str, x: at.x, itemSize: at.size });
    } else {
      const monospaced = monospace ? text.length : 0;
      const run = {
        ...at,
        text,
        font: item.fontName,
        monospaced,
        longest: text.length,
        rightToLeft,
        order: this.#order++,
      };
      frame.runs.push(run);
      this.#last = { frame, run, item: item.str, x: at.x, itemSize: at.size };
    }
    frame.chars += text.length;
    this.#blank = false;
  }
}

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly size: number;
}

function overprints(last: { run: Run; x: number; itemSize: number }, at: Placed): boolean {
  const near = MAX_OVERPRINT * at.size;
  return Math.abs(last.x - at.x) < near && Math.abs(last.run.y - at.y) < near && last.itemSize === at.size;
}

/** The gap, in points, between a run and what is drawn next, or undefined if that is no part of it. */
function gapAfter(run: Run, at: Placed, rightToLeft: boolean): number | undefined {
  const size = Math.max(run.size, at.size);
  if (Math.abs(at.y - run.y) > MAX_SHIFT * size) return undefined;
  const gap = rightToLeft && run.rightToLeft ? run.x - at.right : at.x - run.right;
  return gap > MAX_DRAWN_GAP * size || gap < -MAX_OTHER_GAP * size ? undefined : gap;
}

/** Size, baseline and font of a run are those of its longest piece, so that a footnote mark or a formula changes none. */
function extend(
  run: Run,
  at: Placed,
  { text, font, monospace }: { text: string; font: string; monospace: boolean },
  blank: boolean,
): void {
  if (text.length > run.longest) {
    run.longest = text.length;
    run.size = at.size;
    run.y = at.y;
    run.font = font;
  }
  if (monospace) run.monospaced += text.length + (blank ? 1 : 0);
  run.text += blank ? ` ${text}` : text;
  run.x = Math.min(run.x, at.x);
  run.right = Math.max(run.right, at.right);
}
