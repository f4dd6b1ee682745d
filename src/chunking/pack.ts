/** Fills chunks with the parts of a group, block by block, and cuts the blocks that no chunk can hold. */

import { BlockKind } from '../model/document.js';
import { type Borders, bordersOf, clipBorders } from './borders.js';
import { type Group, isMarkup, type Part } from './groups.js';
import type { Lead, Meter } from './meter.js';
import type { Piece, PlacedPiece } from './piece.js';
import type { Prefixes } from './prefix.js';
import type { Span } from './scope.js';
import { trimStart } from './white.js';
import { cutWindowsAfter, overlapStart } from './windows.js';

/** A chunk that still takes parts. */
interface Open {
  readonly start: number;
  readonly end: number;
  readonly hasBody: boolean;
  /** Where the headings at the end (and markup behind them) begin: they go along with what follows. */
  readonly bodyEnd: number;
  /** Start of the first of them; undefined if there are none. */
  readonly headingsFrom: number | undefined;
  /** Where the last markup between blocks ends: nothing before is shared with what follows. */
  readonly markupEnd: number;
}

/** A head that is repeated may take at most this share of the limit. */
const MAX_HEAD_SHARE = 0.4;

/** A chunk that is filled less than this far takes the beginning of a part that is over the limit. */
const MAX_JOINED_SHARE = 0.5;

/** A strong border is preferred if the part before it is at least this full. */
const MIN_STRONG_FILL = 0.6;

export class Packer {
  readonly #meter: Meter;
  readonly #prefixes: Prefixes;
  readonly #overlapTokens: number;
  /** Prefixes with a repeated head: counted once, asked for with every row. */
  readonly #leads = new Map<string, Lead>();
  #section = 0;
  #pieces: Piece[] = [];
  /** Of the block that portions were last asked of: finding them looks through all of its lines. */
  #ofBlock: { block: Span; borders: Borders | undefined } | undefined;

  constructor(meter: Meter, prefixes: Prefixes, overlapTokens: number) {
    this.#meter = meter;
    this.#prefixes = prefixes;
    this.#overlapTokens = overlapTokens;
  }

  /** The chunks of one group, in order. */
  pack(group: Group): PlacedPiece[] {
    return this.#fill(group).map((piece) => ({ ...piece, section: group.section }));
  }

  #fill(group: Group): Piece[] {
    this.#section = group.section;
    this.#pieces = [];
    let open: Open | undefined;
    let previousKind: BlockKind = BlockKind.heading;
    for (const part of group.parts) {
      open = this.#place(part, open, previousKind);
      // Markup between blocks is no sentence to go on from.
      previousKind = part.isBody ? part.kind : BlockKind.heading;
    }
    if (open) this.#emit(open.start, open.end);
    this.#leads.clear();
    return this.#pieces;
  }

  /** Adds a part to the open chunk, or closes that one and opens the next. */
  #place(part: Part, open: Open | undefined, previousKind: BlockKind): Open | undefined {
    const continues = part.portionOf !== undefined && this.#bordersOf(part)?.head;
    if (open && !continues && this.#fits(open.start, part.end)) return opened(open.start, part, open);
    let from = trimStart(this.#meter.text, part.start, part.end);
    if (open && this.#joinsSplit(open, part)) return this.#split(part, open.start);
    if (open?.hasBody) {
      this.#emit(open.start, open.bodyEnd);
      if (open.headingsFrom !== undefined) from = open.headingsFrom;
      else if (previousKind === BlockKind.prose) from = this.#sharedStart(open, part, from);
    } else if (open) from = open.start;
    if (!continues && this.#fits(from, part.end)) return opened(from, part);
    return this.#split(part, from);
  }

  #bordersOf(part: Part): Borders | undefined {
    const { text } = this.#meter;
    const block = part.portionOf;
    if (block === undefined) return bordersOf(text, part, part.kind);
    if (this.#ofBlock?.block !== block) this.#ofBlock = { block, borders: bordersOf(text, block, part.kind) };
    return this.#ofBlock.borders && clipBorders(this.#ofBlock.borders, part);
  }

  /**
   * Whether a part that must be cut anyway begins in the open chunk: so a caption stays with the first rows of its
   * table, and no chunk of a few words is left behind.
   */
  #joinsSplit(open: Open, part: Part): boolean {
    const meter = this.#meter;
    if (meter.estimate(open.start, open.end) > meter.limitTokens * MAX_JOINED_SHARE) return false;
    if (this.#fits(part.start, part.end)) return false;
    const border = this.#bordersOf(part)?.at[1];
    return border === undefined || this.#fits(open.start, border);
  }

  /** Where a chunk that goes on after `open` begins: with as much of the overlap as leaves room for the part. */
  #sharedStart(open: Open, part: Part, fresh: number): number {
    const meter = this.#meter;
    const lead = this.#leadAt(open.end);
    const room = meter.room(lead) - meter.estimate(part.start, part.end);
    const tokens = room > 0 ? Math.min(room, this.#overlapTokens) : this.#overlapTokens;
    // Where an exact count made several windows of what was open, behind the start of the last one.
    const shared = overlapStart(meter, this.#pieces.at(-1) ?? open, part.end, tokens);
    const start = shared < open.markupEnd ? trimStart(meter.text, open.markupEnd, part.end) : shared;
    // Rounding to a word may have cost the room.
    return room > 0 && !this.#fits(start, part.end) ? fresh : start;
  }

  /** Cuts a part that is over the limit; what is left open at its end takes the parts that follow. */
  #split(part: Part, from: number): Open | undefined {
    const borders = this.#bordersOf(part);
    if (borders === undefined) this.#emit(from, part.end, '', isMarkup(part) ? 0 : this.#overlapTokens);
    else this.#splitAt(borders, part, from);
    // Behind a repeated head, text that is not of the same block would be taken for a part of it.
    if (borders !== undefined && borders.head !== '') return undefined;
    const last = this.#pieces.pop();
    return last && opened(last.start, { ...part, end: last.end, isBody: true });
  }

  #splitAt(borders: Borders, part: Part, from: number): void {
    const { at } = borders;
    const head =
      this.#meter.lead(borders.head).tokens <= this.#meter.limitTokens * MAX_HEAD_SHARE ? borders.head : '';
    let first = 0;
    while (first < at.length) {
      const start = first === 0 ? from : at[first]!;
      const ownHead = first === 0 && part.portionOf === undefined ? '' : head;
      let next = first + 1;
      while (next < at.length && this.#fits(start, at[next]!, ownHead)) next++;
      // `next` is now one too far, unless all the rest fits.
      const fitsAll = next === at.length && this.#fits(start, part.end, ownHead);
      if (!fitsAll) next = this.#bestBorder(borders, first, next - 1, start);
      this.#emit(start, next < at.length ? at[next]! : part.end, ownHead);
      first = next;
    }
  }

  /** The last border in `(first, reach]`, or an earlier strong one if that wastes little; at least `first + 1`. */
  #bestBorder(borders: Borders, first: number, reach: number, start: number): number {
    const { at, isStrong } = borders;
    if (reach <= first) return first + 1;
    const enough = start + (at[reach]! - start) * MIN_STRONG_FILL;
    for (let index = reach; index > first && at[index]! >= enough; index--) {
      if (isStrong(index)) return index;
    }
    return reach;
  }

  #leadAt(start: number, head = ''): Lead {
    const prefix = this.#prefixes.leadAt(this.#section, start);
    if (head === '') return prefix;
    const text = prefix.text + head;
    const lead = this.#leads.get(text) ?? this.#meter.lead(text);
    this.#leads.set(text, lead);
    return lead;
  }

  #fits(start: number, end: number, head = ''): boolean {
    return this.#meter.fits(this.#leadAt(start, head), start, end);
  }

  /** One chunk, or windows where the span is over the limit, which only an exact count may find. */
  #emit(start: number, end: number, head = '', overlapTokens = this.#overlapTokens): void {
    const leadAt = (at: number) => this.#leadAt(at, head);
    // One by one: a block of a long file makes more windows than a call takes arguments.
    const previous = this.#pieces.at(-1);
    for (const piece of cutWindowsAfter(previous, this.#meter, start, end, overlapTokens, leadAt)) {
      this.#pieces.push(piece);
    }
  }
}

/** A chunk from `start` to the end of a part that was found to fit. */
function opened(start: number, part: Part, before?: Open): Open {
  const headingsFrom =
    part.kind === BlockKind.heading ? (before?.headingsFrom ?? part.start) : before?.headingsFrom;
  const endsInHeadings = !part.isBody && headingsFrom !== undefined;
  return {
    start,
    end: part.end,
    hasBody: (before?.hasBody ?? false) || part.isBody,
    bodyEnd: endsInHeadings ? (before?.bodyEnd ?? part.end) : part.end,
    headingsFrom: endsInHeadings ? headingsFrom : undefined,
    markupEnd: isMarkup(part) ? part.end : (before?.markupEnd ?? start),
  };
}
