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
  /** The block that this is a later portion of: what that repeats of its head is said before this, too. */
  readonly portionOf?: Span;
}

/** Parts that are packed together; its chunks carry the heading path of `section`. */
export interface Group {
  readonly parts: readonly Part[];
  readonly section: number;
}

/** A section with fewer tokens than this share of the limit may be merged with what follows. */
const TINY_SHARE = 0.15;

/**
 * Which sections share chunks by meaning, not by size: those with the same number, as a clause and its items; sections
 * of different numbers share none. By section.
 */
export type Companies = Int32Array;

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

/** The parts that lie in each of the spans, which ascend and do not overlap; a part that is cut says of what. */
export function clipParts(parts: readonly Part[], spans: readonly Span[]): Part[][] {
  let row = 0;
  return spans.map(({ start, end }) => {
    while (row < parts.length && parts[row]!.end <= start) row++;
    const inside: Part[] = [];
    for (let at = row; at < parts.length && parts[at]!.start < end; at++) {
      const part = parts[at]!;
      const clipped = { ...part, start: Math.max(part.start, start), end: Math.min(part.end, end) };
      inside.push(clipped.start > part.start ? { ...clipped, portionOf: part } : clipped);
    }
    return inside;
  });
}

/** Parts of one section in a row, and before them headings of sections that have no text of their own. */
interface Unit extends Span {
  readonly parts: readonly Part[];
  /** The section of the text. */
  readonly section: number;
  /** The section of the first heading. */
  readonly firstSection: number;
  /** Without the markup between blocks: a row of badges makes no section large. */
  readonly tokens: number;
}

function listUnits(parts: readonly Part[], meter: Meter): Unit[] {
  const units: Unit[] = [];
  let from = 0;
  let hasBody = false;
  let markup = 0;
  for (const [at, part] of parts.entries()) {
    hasBody ||= part.isBody;
    if (isMarkup(part)) markup += meter.estimate(part.start, part.end);
    const next = parts[at + 1];
    if (next !== undefined && (next.section === part.section || !hasBody)) continue;
    const { section: firstSection, start } = parts[from]!;
    units.push({
      parts: parts.slice(from, at + 1),
      section: part.section,
      firstSection,
      start,
      end: part.end,
      tokens: meter.estimate(start, part.end) - markup,
    });
    from = at + 1;
    hasBody = false;
    markup = 0;
  }
  return units;
}

/** Text between blocks. */
export function isMarkup(part: Part): boolean {
  return !part.isBody && part.kind !== BlockKind.heading;
}

/** A group that still takes units. */
interface OpenGroup extends Group, Span {
  parts: Part[];
  section: number;
  end: number;
  scopeEnd: number;
  tokens: number;
  allTiny: boolean;
}

/** Parts → groups. A heading without text of its own always goes with what follows. */
export function groupParts(
  document: Document,
  parts: readonly Part[],
  meter: Meter,
  prefixes: Prefixes,
  companies?: Companies,
): Group[] {
  const { sections } = document;
  const tinyTokens = meter.limitTokens * TINY_SHARE;
  const isTiny = ({ tokens }: { tokens: number }) => tokens < tinyTokens;
  const groups: Group[] = [];
  let last: OpenGroup | undefined;
  for (const unit of listUnits(parts, meter)) {
    const section = last && commonSection(sections, last.section, unit.section);
    const mayJoin =
      last &&
      (companies
        ? companies[last.section] === companies[unit.section]
        : unit.start < last.scopeEnd && (isTiny(last) || (last.allTiny && isTiny(unit))));
    if (last && mayJoin && meter.fits(prefixes.leadAt(section!, last.start), last.start, unit.end)) {
      last.parts.push(...unit.parts);
      last.section = section!;
      last.allTiny &&= isTiny(unit);
      last.tokens += unit.tokens;
      last.end = unit.end;
    } else {
      const { start, end, tokens, section } = unit;
      // Only what lies under the same parent as the first section is merged with it.
      const scopeEnd = sections.end[Math.max(0, sections.parent[unit.firstSection]!)]!;
      last = { parts: [...unit.parts], section, start, end, scopeEnd, tokens, allTiny: isTiny(unit) };
      groups.push(last);
    }
  }
  return groups;
}
