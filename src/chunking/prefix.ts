/**
 * The context prefix: what a chunk is part of, said before its text, so that a passage from the middle of a manual
 * still knows which manual and which chapter. It says the title, then the headings above the chunk, and leaves out
 * what the chunk's own text already says.
 */

import { HEADING_SEPARATOR } from '../model/chunk.js';
import type { Document } from '../model/document.js';
import { graphemeFloor } from './graphemes.js';
import { heldNames, type PlacedSpan } from './held-sections.js';
import { type Lead, type Meter, NO_LEAD } from './meter.js';
import { isWhite } from './white.js';

/** Most of a chunk's limit that its prefix may take. */
const MAX_PREFIX_SHARE = 0.25;

export class Prefixes {
  readonly #document: Document;
  readonly #meter: Meter;
  readonly #maxTokens: number;
  readonly #leads = new Map<number, Lead>();
  readonly #chains = new Map<number, Chain>();

  constructor(document: Document, meter: Meter) {
    this.#document = document;
    this.#meter = meter;
    this.#maxTokens = Math.floor(meter.limitTokens * MAX_PREFIX_SHARE);
  }

  /** Indexes of the headings from the outermost down to `section`, the document itself left out. */
  chain(section: number): number[] {
    const { parent } = this.#document.sections;
    const chain: number[] = [];
    for (let at = section; at > 0; at = parent[at]!) chain.push(at);
    return chain.reverse();
  }

  /**
   * The heading path of a chunk as stored: every heading down to its section, then the names of those below that it
   * holds, joined; '' where there is none.
   */
  headingPath(piece: PlacedSpan): string {
    const { sections } = this.#document;
    const path = this.chain(piece.section).map((index) => sections.heading[index]!);
    return [...path, ...heldNames(sections, piece)].filter((text) => text !== '').join(HEADING_SEPARATOR);
  }

  /** The prefix of a chunk of `section` that begins at `start`. Headings that lie in the chunk are not repeated. */
  leadAt(section: number, start: number): Lead {
    const { sections, title } = this.#document;
    const { chain, startsWithTitle } = this.#chainOf(section);
    let depth = chain.length;
    while (depth > 0 && sections.start[chain[depth - 1]!]! >= start) depth--;
    const innermost = depth > 0 ? chain[depth - 1]! : 0;
    // All chunks below the first heading say that or the title, and not both; so do those that hold it.
    const key = innermost * 2 + Number(startsWithTitle);
    let lead = this.#leads.get(key);
    if (lead === undefined) {
      const parts = chain.slice(0, depth).map((index) => sections.heading[index]!);
      if (!startsWithTitle) parts.unshift(title);
      lead = this.#capped(parts.map(oneLine).filter((part) => part !== ''));
      this.#leads.set(key, lead);
    }
    return lead;
  }

  #chainOf(section: number): Chain {
    let known = this.#chains.get(section);
    if (known === undefined) {
      const { sections, title } = this.#document;
      const chain = this.chain(section);
      known = {
        chain,
        startsWithTitle: chain.length > 0 && sameWords(sections.heading[chain[0]!]!, title),
      };
      this.#chains.set(section, known);
    }
    return known;
  }

  /** Over the cap the outermost parts go first, because the innermost say most; a last one is cut at a word. */
  #capped(parts: readonly string[]): Lead {
    for (let from = 0; from < parts.length; from++) {
      const lead = this.#meter.lead(`${joinPrefix(parts.slice(from))}\n`);
      if (lead.tokens <= this.#maxTokens) return lead;
    }
    let line = parts.at(-1) ?? '';
    while (line !== '') {
      const lead = this.#meter.lead(`${line}\n`);
      if (lead.tokens <= this.#maxTokens) return lead;
      line = shorten(line, this.#maxTokens / lead.tokens);
    }
    return NO_LEAD;
  }
}

/** The headings above a section, outermost first, and whether the first says the same as the title. */
interface Chain {
  readonly chain: readonly number[];
  readonly startsWithTitle: boolean;
}

/** Title and headings read as one path. */
function joinPrefix(parts: readonly string[]): string {
  return parts.join(HEADING_SEPARATOR);
}

/** The line cut before a word at about `share` of its length; '' when no whole word is left. */
function shorten(line: string, share: number): string {
  let end = Math.min(line.length - 1, Math.floor(line.length * share));
  while (end > 0 && !isWhite(line.charCodeAt(end))) end--;
  return line.slice(0, graphemeFloor(line, end)).trimEnd();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function sameWords(a: string, b: string): boolean {
  return oneLine(a).toLowerCase() === oneLine(b).toLowerCase();
}
