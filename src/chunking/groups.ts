/**
 * What may share a chunk: the text of one section (its heading and the blocks directly under it), and tiny sections
 * together with what follows them under the same parent.
 */

import { BlockKind, type Document } from '../model/document.js';
import type { Meter } from './meter.js';
import type { Prefixes } from './prefix.js';
import { chunkedSpans, type Span } from './scope.js';
import { commonSection, sectionAt } from './sections.js';
import { skipWhite, trimEnd } from './white.js';

/** A block, or text between blocks, with the section that it lies in. */
export interface Part extends Span {
  readonly kind: BlockKind;
  readonly section: number;
  /** False for headings and for markup between blocks: they never make a chunk worth having by themselves. */
  readonly isBody: boolean;
}

/** Parts that are packed together; its chunks carry the heading path of `section`. */
export interface Group {
  readonly parts: readonly Part[];
  readonly section: number;
}

/** A section with fewer tokens than this share of the limit may be merged with what follows. */
const TINY_SHARE = 0.15;

/** Every part of the text in order; together they cover all of `chunkedSpans` that is not white space. */
export function listParts(document: Document): Part[] {
  const { blocks } = document;
  const parts: Part[] = [];
  let row = 0;
  for (const span of chunkedSpans(document)) {
    let at = span.start;
    for (; row < blocks.start.length && blocks.start[row]! < span.end; row++) {
      const start = Math.max(at, blocks.start[row]!);
      const end = Math.min(blocks.end[row]!, span.end);
      if (end <= start) continue;
      addGap(document, parts, at, start);
      const kind = blocks.kind[row] as BlockKind;
      parts.push({ start, end, kind, section: blocks.section[row]!, isBody: kind !== BlockKind.heading });
      at = end;
    }
    addGap(document, parts, at, span.end);
  }
  return joinTableHeads(document, parts);
}

/** Text between blocks belongs to the section of its position. */
function addGap(document: Document, parts: Part[], from: number, to: number): void {
  const { text, sections } = document;
  const start = skipWhite(text, from, to);
  if (start === to) return;
  const end = trimEnd(text, start, to);
  parts.push({ start, end, kind: BlockKind.prose, section: sectionAt(sections, start), isBody: false });
}

/**
 * Of a table whose header has two rows, Markdown sees the first as a paragraph, because the line of dashes must
 * follow the header at once. Rows of a table they are all the same.
 */
function joinTableHeads(document: Document, parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const previous = joined.at(-1);
    if (previous !== undefined && isTableHead(document.text, previous, part)) {
      joined[joined.length - 1] = { ...part, start: previous.start };
    } else joined.push(part);
  }
  return joined;
}

function isTableHead(text: string, head: Part, table: Part): boolean {
  if (head.kind !== BlockKind.prose || table.kind !== BlockKind.table || head.section !== table.section)
    return false;
  if (!/^(?:\r\n|\r|\n)[ \t]*$/.test(text.slice(head.end, table.start))) return false;
  const rows = text.slice(head.start, head.end);
  return /^[ \t]*\|/.test(rows) && rows.split(/\r\n|\r|\n/).every((row) => /^\s*\|.*\|\s*$/.test(row));
}

/** Parts of one section in a row. */
interface Unit extends Span {
  readonly parts: readonly Part[];
  readonly section: number;
  readonly hasBody: boolean;
}

function listUnits(parts: readonly Part[]): Unit[] {
  const units: Unit[] = [];
  for (let from = 0; from < parts.length; ) {
    let to = from + 1;
    const { section } = parts[from]!;
    while (to < parts.length && parts[to]!.section === section) to++;
    const own = parts.slice(from, to);
    const hasBody = own.some((part) => part.isBody);
    units.push({ parts: own, section, hasBody, start: own[0]!.start, end: own.at(-1)!.end });
    from = to;
  }
  return units;
}

/** Parts → groups. A heading without text of its own always goes with what follows. */
export function groupParts(
  document: Document,
  parts: readonly Part[],
  meter: Meter,
  prefixes: Prefixes,
): Group[] {
  const units = listUnits(parts);
  const groups: Group[] = [];
  for (let from = 0; from < units.length; ) {
    const merge = new Merge(document, meter, prefixes, units[from]!);
    let to = from + 1;
    while (to < units.length && merge.accepts(units[to]!)) merge.add(units[to++]!);
    groups.push({ parts: units.slice(from, to).flatMap((unit) => unit.parts), section: merge.section });
    from = to;
  }
  return groups;
}

/** A group while it grows. */
class Merge {
  readonly #document: Document;
  readonly #meter: Meter;
  readonly #prefixes: Prefixes;
  readonly #start: number;
  /** What is merged lies before the end of the first section's parent. */
  readonly #scopeEnd: number;
  readonly #tinyTokens: number;
  #end: number;
  #hasBody: boolean;
  #allTiny: boolean;
  section: number;

  constructor(document: Document, meter: Meter, prefixes: Prefixes, first: Unit) {
    const { sections } = document;
    this.#document = document;
    this.#meter = meter;
    this.#prefixes = prefixes;
    this.#start = first.start;
    this.#scopeEnd = sections.end[Math.max(0, sections.parent[first.section]!)]!;
    this.#tinyTokens = meter.limitTokens * TINY_SHARE;
    this.#end = first.end;
    this.#hasBody = first.hasBody;
    this.#allTiny = this.#isTiny(first);
    this.section = first.section;
  }

  accepts(next: Unit): boolean {
    if (!this.#hasBody) return true;
    if (next.start >= this.#scopeEnd) return false;
    const isTiny = this.#meter.estimate(this.#start, this.#end) < this.#tinyTokens;
    if (!isTiny && !(this.#allTiny && this.#isTiny(next))) return false;
    const lead = this.#prefixes.leadAt(this.#sectionWith(next), this.#start);
    return this.#meter.fits(lead, this.#start, next.end);
  }

  add(next: Unit): void {
    this.section = this.#sectionWith(next);
    this.#allTiny &&= this.#isTiny(next);
    this.#hasBody ||= next.hasBody;
    this.#end = next.end;
  }

  /** Sections that are only a heading don't count: the chunk is about the text under the next one. */
  #sectionWith(next: Unit): number {
    if (!this.#hasBody) return next.section;
    return next.hasBody ? commonSection(this.#document.sections, this.section, next.section) : this.section;
  }

  #isTiny(unit: Unit): boolean {
    return this.#meter.estimate(unit.start, unit.end) < this.#tinyTokens;
  }
}
