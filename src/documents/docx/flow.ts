import { BlockKind } from '../../model/document.js';
import { type HtmlBlock, HtmlFlow } from '../html-flow.js';
import { PAGE } from '../html-region.js';
import { HtmlTable } from '../html-table.js';

/** The XML of a Word file has no lines that a person could look up. */
const NOWHERE: HtmlBlock['places'] = [];

/** Paragraphs of the body, of a text box or of a note, with the tables that are open in it. */
export class DocxFlow {
  readonly #page = new HtmlFlow();
  readonly #tables: HtmlTable[] = [];
  /** Lines of code that come one after another are one block. */
  #code: string[] = [];
  /** How many lists are open in each run of blocks. */
  readonly #listDepth = new WeakMap<HtmlFlow, number>();

  heading(text: string, level: number): void {
    this.#block({
      kind: BlockKind.heading,
      text: text.replace(/\s+/g, ' '),
      places: NOWHERE,
      level,
      region: PAGE,
      linked: 0,
    });
  }

  code(text: string): void {
    this.#setListDepth(0);
    this.#code.push(text);
  }

  prose(text: string): void {
    this.#endCode();
    this.#setListDepth(0);
    this.#flow.addText({ text, places: NOWHERE, linked: 0 }, PAGE);
  }

  /** @param level 0 for the outermost list */
  item(text: string, level: number): void {
    this.#endCode();
    this.#setListDepth(level + 1);
    this.#flow.startItem();
    this.#flow.addText({ text, places: NOWHERE, linked: 0 }, PAGE);
  }

  openTable(): void {
    this.#endParagraphs();
    this.#tables.push(new HtmlTable());
  }

  openRow(): void {
    this.#tables.at(-1)?.startRow(PAGE);
  }

  openCell(): void {
    this.#endParagraphs();
    this.#tables.at(-1)?.startCell(PAGE);
  }

  /** @param span columns that the cell covers */
  closeCell(span: number): void {
    this.#endParagraphs();
    const table = this.#tables.at(-1);
    table?.endCell(PAGE);
    for (let column = 1; column < span; column++) {
      table?.startCell(PAGE);
      table?.endCell(PAGE);
    }
  }

  closeTable(): void {
    const blocks = this.#tables.pop()?.end(PAGE) ?? [];
    for (const block of blocks) this.#flow.addBlock(block);
  }

  add(blocks: readonly HtmlBlock[]): void {
    this.#endParagraphs();
    for (const block of blocks) this.#flow.addBlock(block);
  }

  /** All blocks in order; nothing may be added afterwards. */
  end(): HtmlBlock[] {
    this.#endParagraphs();
    while (this.#tables.length > 0) this.closeTable();
    return this.#page.end(PAGE);
  }

  get #flow(): HtmlFlow {
    return this.#tables.at(-1)?.flow ?? this.#page;
  }

  #block(block: HtmlBlock): void {
    this.#endParagraphs();
    this.#flow.addBlock(block);
  }

  #endParagraphs(): void {
    this.#endCode();
    this.#setListDepth(0);
  }

  #endCode(): void {
    if (this.#code.length === 0) return;
    const text = this.#code
      .join('\n')
      .replace(/^\s*\n/, '')
      .trimEnd();
    this.#code = [];
    const place = { places: NOWHERE, level: 0, region: PAGE, linked: 0 };
    this.#flow.addBlock({ kind: BlockKind.code, text, ...place });
  }

  #setListDepth(depth: number): void {
    const flow = this.#flow;
    let open = this.#listDepth.get(flow) ?? 0;
    for (; open < depth; open++) flow.openList();
    for (; open > depth; open--) flow.closeList(PAGE);
    this.#listDepth.set(flow, depth);
  }
}
