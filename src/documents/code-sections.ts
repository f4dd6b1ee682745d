import { type BlockColumns, BlockKind, type SectionColumns } from '../model/document.js';
import type { CodeDefinition } from './code-definitions.js';
import { eachParagraph, LineTable } from './lines.js';

/** The beginning of a class is its heading up to this length, white space folded: then it never stands alone. */
const MAX_HEAD_LENGTH = 200;

/** A line drawn between definitions, which says nothing by itself. */
const RULE = /^[ \t]*(?:\/\/|\/\*|--|#|;)?[ \t]*[-=*#/~+_─━═—–]{3,}[ \t]*(?:\*\/)?[ \t]*$/;

/**
 * A section for each definition. What has no definitions inside is one block; of the others, the lines before the first
 * one are the head, and the lines between them are blocks by blank lines, as all code outside of definitions; lines that
 * are only drawn are none.
 */
export class CodeSections {
  readonly #text: string;
  readonly #sections = { start: [0], end: [0], level: [0], parent: [-1], heading: [''], name: [''] };
  readonly #blocks = {
    start: [] as number[],
    end: [] as number[],
    kind: [] as number[],
    section: [] as number[],
  };
  /** Sections that are open, outermost first, and how far the text of the innermost one is in blocks. */
  readonly #open = [0];
  #at = 0;

  constructor(text: string, definitions: readonly CodeDefinition[]) {
    this.#text = text;
    this.#sections.end[0] = text.length;
    for (const [row, definition] of definitions.entries()) {
      this.#closeBefore(definition.start);
      this.#openAt(definition, definitions[row + 1]);
    }
    this.#closeBefore(text.length);
    this.#addText(this.#at, text.length);
  }

  columns(): { sections: SectionColumns; blocks: BlockColumns } {
    const { start, end, level, parent, heading, name } = this.#sections;
    const blocks = this.#blocks;
    return {
      sections: {
        start: Uint32Array.from(start),
        end: Uint32Array.from(end),
        level: Uint8Array.from(level),
        parent: Int32Array.from(parent),
        heading,
        name,
      },
      blocks: {
        start: Uint32Array.from(blocks.start),
        end: Uint32Array.from(blocks.end),
        kind: Uint8Array.from(blocks.kind),
        section: Uint32Array.from(blocks.section),
      },
    };
  }

  /** Closes the sections that end before a position, the document never. */
  #closeBefore(position: number): void {
    while (this.#open.length > 1) {
      const end = this.#sections.end[this.#open.at(-1)!]!;
      if (end > position) return;
      this.#addText(this.#at, end);
      this.#at = end;
      this.#open.pop();
    }
  }

  #openAt(definition: CodeDefinition, next: CodeDefinition | undefined): void {
    const { start, end, depth, signature, name } = definition;
    this.#addText(this.#at, start);
    const { level, parent } = this.#sections;
    this.#sections.start.push(start);
    this.#sections.end.push(end);
    level.push(depth);
    parent.push(this.#open.at(-1)!);
    this.#sections.heading.push(signature);
    this.#sections.name.push(name);
    this.#open.push(level.length - 1);
    const isLeaf = next === undefined || next.start >= end;
    const headEnd = isLeaf ? end : next.start;
    const isHead = !isLeaf && foldedLength(this.#text.slice(start, headEnd)) <= MAX_HEAD_LENGTH;
    this.#addBlock(start, headEnd, isHead ? BlockKind.heading : BlockKind.code);
    this.#at = headEnd;
  }

  #addBlock(start: number, end: number, kind: BlockKind): void {
    const last = start + this.#text.slice(start, end).trimEnd().length;
    if (last <= start) return;
    this.#blocks.start.push(start);
    this.#blocks.end.push(last);
    this.#blocks.kind.push(kind);
    this.#blocks.section.push(this.#open.at(-1)!);
  }

  #addText(from: number, to: number): void {
    if (to <= from) return;
    const lines = new LineTable(this.#text.slice(from, to));
    eachParagraph(lines, 0, lines.count, (first, end) => {
      if (end === first + 1 && RULE.test(lines.line(first))) return;
      this.#addBlock(from + lines.start(first), from + lines.contentEnd(end - 1), BlockKind.code);
    });
  }
}

function foldedLength(text: string): number {
  return text.length > 100 * MAX_HEAD_LENGTH ? text.length : text.replace(/\s+/g, ' ').length;
}
