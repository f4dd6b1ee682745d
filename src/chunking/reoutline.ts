/** Sections that the text itself marks (clauses, questions) added to those that the reader found. */

import { BlockKind, type Document } from '../model/document.js';
import type { Companies } from './groups.js';
import type { Span } from './scope.js';
import { sectionAt } from './sections.js';
import { trimEnd, trimStart } from './white.js';

/** Where a section begins that no heading of the document opens. Marks ascend, and lie in blocks that are no headings. */
export interface Mark extends Span {
  readonly heading: string;
  /** From 1; a mark ends those of its depth and deeper. Marks begin anew in each section of the reader's. */
  readonly depth: number;
  /** Whether `[start, end)` says the heading and nothing else, so that it must not stand alone. */
  readonly isHeading: boolean;
  /** Whether it shares chunks with the section that it lies in. */
  readonly sharesChunks: boolean;
}

export interface Outlined {
  readonly document: Document;
  readonly companies: Companies;
}

export function reoutline(document: Document, marks: readonly Mark[]): Outlined {
  const tree = new Tree(document);
  const { sections } = document;
  let next = 0;
  for (let section = 1; section < sections.start.length; section++) {
    for (; next < marks.length && marks[next]!.start < sections.start[section]!; next++)
      tree.mark(marks[next]!);
    tree.section(section);
  }
  for (; next < marks.length; next++) tree.mark(marks[next]!);
  const outline = { ...document, sections: tree.build() };
  return {
    document: { ...outline, blocks: splitBlocks(outline, marks) },
    companies: Int32Array.from(tree.company),
  };
}

interface Open {
  readonly index: number;
  /** Of a section of the reader's: where that ends; of a mark: undefined. */
  readonly end: number | undefined;
  /** Of a mark. */
  readonly depth: number;
}

class Tree {
  readonly company = [0];
  readonly #document: Document;
  readonly #start = [0];
  readonly #end: number[];
  readonly #parent = [-1];
  readonly #heading = [''];
  readonly #level = [0];
  readonly #open: Open[];
  /** Of each section of the reader's. */
  readonly #newIndex = [0];

  constructor(document: Document) {
    const { length } = document.text;
    this.#document = document;
    this.#end = [length];
    this.#open = [{ index: 0, end: length, depth: 0 }];
  }

  section(old: number): void {
    const { start, end, parent, heading } = this.#document.sections;
    const at = start[old]!;
    this.#closeEnded(at);
    const above = this.#newIndex[parent[old]!]!;
    const row = this.#open.findLastIndex(({ index }) => index === above);
    // Marks end with the section that they lie in; where the parent is closed already, the innermost section takes it.
    this.#close(row >= 0 ? row + 1 : 1 + this.#open.findLastIndex((one) => one.end !== undefined), at);
    this.#newIndex.push(this.#push(at, heading[old]!, end[old]!, 0));
    this.company.push(this.#start.length - 1);
  }

  mark({ start, heading, depth, sharesChunks }: Mark): void {
    this.#closeEnded(start);
    let row = this.#open.length;
    while (this.#open[row - 1]!.end === undefined && this.#open[row - 1]!.depth >= depth) row--;
    this.#close(row, start);
    const parent = this.#open.at(-1)!.index;
    const index = this.#push(start, heading, undefined, depth);
    this.company.push(sharesChunks ? this.company[parent]! : index);
  }

  build(): Document['sections'] {
    this.#closeEnded(this.#document.text.length);
    this.#close(1, this.#document.text.length);
    return {
      start: Uint32Array.from(this.#start),
      end: Uint32Array.from(this.#end),
      level: Uint8Array.from(this.#level, (level) => Math.min(level, 255)),
      parent: Int32Array.from(this.#parent),
      heading: this.#heading,
    };
  }

  #push(start: number, heading: string, end: number | undefined, depth: number): number {
    const index = this.#start.push(start) - 1;
    this.#end.push(-1);
    this.#parent.push(this.#open.at(-1)!.index);
    this.#heading.push(heading);
    this.#level.push(this.#open.length);
    this.#open.push({ index, end, depth });
    return index;
  }

  /** Closes sections of the reader's that end at or before `at`, with the marks in them. */
  #closeEnded(at: number): void {
    for (;;) {
      const row = this.#open.findLastIndex((one) => one.end !== undefined);
      const end = this.#open[row]!.end!;
      if (row === 0 || end > at) return;
      this.#close(row, end);
    }
  }

  #close(row: number, at: number): void {
    for (const { index } of this.#open.splice(row)) this.#end[index] = at;
  }
}

/** Cuts the blocks at the marks, and makes headings of those that are. */
function splitBlocks({ text, blocks, sections }: Document, marks: readonly Mark[]): Document['blocks'] {
  const rows: Array<Span & { kind: number }> = [];
  const add = (from: number, to: number, kind: number) => {
    const end = trimEnd(text, from, to);
    if (end > from) rows.push({ start: trimStart(text, from, end), end, kind });
  };
  let next = 0;
  for (let row = 0; row < blocks.start.length; row++) {
    const [kind, end] = [blocks.kind[row]!, blocks.end[row]!];
    let at = blocks.start[row]!;
    for (; next < marks.length && marks[next]!.start < end; next++) {
      const mark = marks[next]!;
      add(at, mark.start, kind);
      if (mark.isHeading) add(mark.start, mark.end, BlockKind.heading);
      at = mark.isHeading ? mark.end : mark.start;
    }
    add(at, end, kind);
  }
  return {
    start: Uint32Array.from(rows, (row) => row.start),
    end: Uint32Array.from(rows, (row) => row.end),
    kind: Uint8Array.from(rows, (row) => row.kind),
    section: Uint32Array.from(rows, (row) => sectionAt(sections, row.start)),
  };
}
