import { BlockKind } from '../model/document.js';
import { type HtmlBlock, HtmlFlow } from './html-flow.js';
import type { HtmlPlace } from './html-place.js';
import type { HtmlRegion } from './html-region.js';
import { pipeCell, pipeRow, pipeRule } from './table-row.js';

/** Blocks in one cell from which on the table is taken for page layout. */
const MAX_CELL_BLOCKS = 4;
/** Longest text, in UTF-16 units, that stands in every row or column which its cell spans; a longer one stands once. */
const MAX_REPEATED_LENGTH = 60;
/** UTF-16 units that repeated texts of a table may have beyond those of its cells. */
const REPEATED_ROOM = 2000;
/** Columns that a cell may span, and up to which cells span rows: what a few bytes ask for must not fill the memory. */
const MAX_COLSPAN = 30;
const MAX_SPREAD_COLUMNS = 60;

interface Cell {
  readonly blocks: readonly HtmlBlock[];
  readonly colspan: number;
  readonly rowspan: number;
  readonly isHead: boolean;
}

/** A table while it is read. Text outside of cells (captions, stray words) comes before it, or behind it once a row began. */
export class HtmlTable {
  readonly #before = new HtmlFlow();
  readonly #behind = new HtmlFlow();
  readonly #rows: Cell[][] = [];
  #cell: HtmlFlow | undefined;
  #colspan = 1;
  #rowspan = 1;
  #isHead = false;

  /** @param arranges whether the page says that it is for layout */
  constructor(readonly arranges = false) {}

  /** Where text goes now. */
  get flow(): HtmlFlow {
    return this.#cell ?? (this.#rows.length > 0 ? this.#behind : this.#before);
  }

  startRow(region: HtmlRegion): void {
    this.endCell(region);
    this.#rows.push([]);
  }

  /** A cell that is still open ends, in `region`. Spans are those that the page asks for. */
  startCell(region: HtmlRegion, isHead = false, { colspan, rowspan }: { [name: string]: string } = {}): void {
    if (this.#rows.length === 0) this.startRow(region);
    this.endCell(region);
    this.#cell = new HtmlFlow();
    this.#colspan = Math.min(MAX_COLSPAN, spanOf(colspan));
    this.#rowspan = spanOf(rowspan);
    this.#isHead = isHead;
  }

  endCell(region: HtmlRegion): void {
    if (!this.#cell) return;
    const blocks = this.#cell.end(region);
    const [colspan, rowspan, isHead] = [this.#colspan, this.#rowspan, this.#isHead];
    this.#rows.at(-1)!.push({ blocks, colspan, rowspan, isHead });
    this.#cell = undefined;
  }

  /** A pipe table, or the blocks of all cells in order if the table only arranges the page. */
  end(region: HtmlRegion): HtmlBlock[] {
    const blocks = this.#before.end(region);
    const behind = this.#behind.end(region);
    const rows = this.#rows.filter((row) => row.some((cell) => cell.blocks.length > 0));
    if (rows.length > 0) this.#addRows(rows, blocks, region);
    for (const block of behind) blocks.push(block);
    return blocks;
  }

  #addRows(rows: readonly Cell[][], blocks: HtmlBlock[], region: HtmlRegion): void {
    if (this.arranges || isLayout(rows)) {
      for (const row of rows) for (const cell of row) for (const block of cell.blocks) blocks.push(block);
      return;
    }
    const inCells = rows.flatMap((row) => row.flatMap((cell) => cell.blocks));
    const linked = inCells.reduce((sum, block) => sum + block.linked, 0);
    blocks.push({ kind: BlockKind.table, ...pipeTable(rows), level: 0, region, linked });
  }
}

function spanOf(attribute: string | undefined): number {
  return Math.max(1, Number.parseInt(attribute ?? '', 10) || 1);
}

/**
 * Whether a table arranges a page rather than data: it has one column, or cells that only a page has, or most of its
 * cells hold blocks. A table whose author named its columns or rows is taken at its word until most cells say otherwise.
 */
function isLayout(rows: readonly Cell[][]): boolean {
  if (rows.every((row) => row.length <= 1)) return true;
  const cells = rows.flat();
  const filled = cells.filter(({ blocks }) => blocks.length > 0);
  const ofBlocks = filled.filter(holdsBlocks).length;
  if (ofBlocks > filled.length / 2) return true;
  if (cells.some(({ isHead }) => isHead)) return false;
  // Of one row, a cell left empty holds the place of a picture.
  if (rows.length === 1 && (ofBlocks > 0 || filled.length < cells.length)) return true;
  return cells.some(({ blocks }) => blocks.length > MAX_CELL_BLOCKS || blocks.some(isOfPage));
}

function holdsBlocks({ blocks }: Cell): boolean {
  return blocks.length > 2 || blocks.some((block) => block.kind === BlockKind.list || isOfPage(block));
}

/** Data has a line of code at most, and no headings or tables. */
function isOfPage({ kind, text }: HtmlBlock): boolean {
  return (
    kind === BlockKind.heading || kind === BlockKind.table || (kind === BlockKind.code && text.includes('\n'))
  );
}

/** The first row is the head, because the notation has no table without one. */
function pipeTable(rows: readonly Cell[][]): { text: string; places: HtmlPlace[] } {
  const texts = spread(rows);
  const columns = texts.reduce((most, row) => Math.max(most, row.length), 0);
  const lines: string[] = [];
  const places: HtmlPlace[] = [];
  let at = 0;
  for (const [i, cells] of texts.entries()) {
    const line = rows[i]!.flatMap(({ blocks }) => blocks).find(({ places: [first] }) => first)?.places[0]
      ?.line;
    if (line !== undefined) places.push({ at, line });
    const row = pipeRow(cells, columns);
    // The dashes are of the head's line in the file.
    const text = i === 0 ? `${row}\n${pipeRule(columnsOf(row))}` : row;
    lines.push(text);
    at += text.length + 1;
  }
  return { text: lines.join('\n'), places };
}

/** Columns of a row of our own making: its bars, less the first and those within cells. */
function columnsOf(row: string): number {
  return row.match(/(?<!\\)\|/g)!.length - 1;
}

/** The texts of all cells by row and column; cells that span several say theirs in each, if it is short. */
function spread(rows: readonly Cell[][]): string[][] {
  const texts: string[][] = [];
  /** What cells of rows above put into the next ones: by column, the text and the rows that are left. */
  const hanging: { text: string; rows: number }[] = [];
  let room = REPEATED_ROOM;
  const repeat = (text: string) => {
    if (text.length > room) return '';
    room -= text.length;
    return text;
  };
  for (const row of rows) {
    const line: string[] = [];
    const hang = () => {
      for (let above = hanging[line.length]; above && above.rows > 0; above = hanging[line.length]) {
        above.rows--;
        line.push(repeat(above.text));
      }
    };
    for (const { blocks, colspan, rowspan } of row) {
      hang();
      const text = pipeCell(blocks.map((block) => block.text).join(' '));
      room += text.length;
      const repeated = text.length <= MAX_REPEATED_LENGTH ? text : '';
      for (let i = 0; i < colspan; i++) {
        if (rowspan > 1 && line.length < MAX_SPREAD_COLUMNS)
          hanging[line.length] = { text: repeated, rows: rowspan - 1 };
        line.push(i === 0 ? text : repeat(repeated));
      }
    }
    hang();
    texts.push(line);
  }
  return texts;
}
