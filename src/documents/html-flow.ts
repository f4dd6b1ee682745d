import { BlockKind } from '../model/document.js';
import type { PlacedText } from './html-line.js';
import type { HtmlPlace } from './html-place.js';
import { type HtmlRegion, PAGE } from './html-region.js';

export interface HtmlBlock {
  readonly kind: BlockKind;
  readonly text: string;
  readonly places: readonly HtmlPlace[];
  /** 1 to 6 for headings, else 0. */
  readonly level: number;
  readonly region: HtmlRegion;
  /** UTF-16 units of the text that are the words of links; of code none. */
  readonly linked: number;
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
  /** UTF-16 units of the items so far, line ends included. */
  #itemsLength = 0;
  #itemsPlaces: HtmlPlace[] = [];
  #itemsLinked = 0;
  #itemsRegion = PAGE;

  openList(): void {
    this.#depth++;
    this.#itemStarts = false;
  }

  closeList(region: HtmlRegion): void {
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
  addText({ text, places, linked }: PlacedText, region: HtmlRegion): void {
    if (text === '') return;
    if (this.#depth === 0 && !this.#itemStarts && this.#items.length === 0) {
      this.blocks.push({ kind: BlockKind.prose, text, places, level: 0, region, linked });
      return;
    }
    const indent = '  '.repeat(Math.min(MAX_INDENT, Math.max(0, this.#depth - 1)));
    let next = 0;
    let lineStart = 0;
    for (const [i, line] of text.split('\n').entries()) {
      const item = `${indent}${i === 0 && this.#itemStarts ? '- ' : '  '}${line}`;
      const lead = item.length - line.length;
      for (; next < places.length && places[next]!.at <= lineStart + line.length; next++) {
        const { at, line: rawLine } = places[next]!;
        // What stands first in a line is found from where the line begins.
        const within = at <= lineStart ? 0 : at - lineStart + lead;
        this.#itemsPlaces.push({ at: this.#itemsLength + within, line: rawLine });
      }
      this.#items.push(item);
      this.#itemsLength += item.length + 1;
      lineStart += line.length + 1;
    }
    this.#itemStarts = false;
    this.#itemsLinked += linked;
    this.#itemsRegion = region;
  }

  /** Adds a block that stands for itself: a heading, code, a table. */
  addBlock(block: HtmlBlock): void {
    if (block.text === '') return;
    this.#endItems(block.region);
    this.blocks.push(block);
  }

  /** All blocks; nothing may be added afterwards. */
  end(region: HtmlRegion): HtmlBlock[] {
    this.#endItems(region);
    return this.blocks;
  }

  #endItems(region: HtmlRegion): void {
    if (this.#items.length === 0) return;
    const places = this.#itemsPlaces;
    const text = this.#items.join('\n');
    this.blocks.push({ kind: BlockKind.list, text, places, level: 0, region, linked: this.#itemsLinked });
    this.#items = [];
    this.#itemsLength = 0;
    this.#itemsLinked = 0;
    this.#itemsPlaces = [];
  }
}
