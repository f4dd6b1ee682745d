import { BlockKind } from '../model/document.js';

export interface HtmlBlock {
  readonly kind: BlockKind;
  readonly text: string;
  /** 1 to 6 for headings, else 0. */
  readonly level: number;
  /** Bits of Region. */
  readonly region: number;
}

/** Deepest indentation of list items, in levels: the text of a list must not grow with the square of its depth. */
const MAX_INDENT = 10;

/**
 * One run of blocks: the page, or a table cell. Lines inside lists are collected until the outermost list ends or
 * something that is a block of its own comes between.
 */
export class HtmlFlow {
  readonly blocks: HtmlBlock[] = [];
  #depth = 0;
  #itemStarts = false;
  #items: string[] = [];
  #itemsRegion = 0;

  openList(): void {
    this.#depth++;
    this.#itemStarts = false;
  }

  closeList(region: number): void {
    if (this.#depth > 0) this.#depth--;
    this.#itemStarts = false;
    if (this.#depth === 0) this.#endItems(region);
  }

  /** The next text is the first of an item. */
  startItem(): void {
    this.#itemStarts = true;
  }

  endItem(): void {
    this.#itemStarts = false;
    if (this.#depth === 0) this.#endItems(this.#itemsRegion);
  }

  /** Adds a paragraph, or the lines of a list item. */
  addText(text: string, region: number): void {
    if (text === '') return;
    if (this.#depth === 0 && !this.#itemStarts && this.#items.length === 0) {
      this.blocks.push({ kind: BlockKind.prose, text, level: 0, region });
      return;
    }
    const indent = '  '.repeat(Math.min(MAX_INDENT, Math.max(0, this.#depth - 1)));
    const lines = text
      .split('\n')
      .map((line, i) => `${indent}${i === 0 && this.#itemStarts ? '- ' : '  '}${line}`);
    this.#items.push(...lines);
    this.#itemStarts = false;
    this.#itemsRegion = region;
  }

  /** Adds a block that stands for itself: a heading, code, a table. */
  addBlock(block: HtmlBlock): void {
    if (block.text === '') return;
    this.#endItems(block.region);
    this.blocks.push(block);
  }

  /** All blocks; nothing may be added afterwards. */
  end(region: number): HtmlBlock[] {
    this.#endItems(region);
    return this.blocks;
  }

  #endItems(region: number): void {
    if (this.#items.length === 0) return;
    this.blocks.push({ kind: BlockKind.list, text: this.#items.join('\n'), level: 0, region });
    this.#items = [];
  }
}
