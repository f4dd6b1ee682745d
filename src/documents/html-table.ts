import { BlockKind } from '../model/document.js';
import { type HtmlBlock, HtmlFlow } from './html-flow.js';

/** Blocks in one cell from which on the table is taken for page layout. */
const MAX_CELL_BLOCKS = 4;

/** A table while it is read. Text outside of cells (captions, stray words) comes before the table. */
export class HtmlTable {
  readonly outside = new HtmlFlow();
  readonly #rows: HtmlBlock[][][] = [];
  #cell: HtmlFlow | undefined;

  /** Where text goes now. */
  get flow(): HtmlFlow {
    return this.#cell ?? this.outside;
  }

  startRow(): void {
    this.#rows.push([]);
  }

  startCell(): void {
    if (this.#rows.length === 0) this.startRow();
    this.#cell = new HtmlFlow();
  }

  endCell(region: number): void {
    if (!this.#cell) return;
    this.#rows.at(-1)!.push(this.#cell.end(region));
    this.#cell = undefined;
  }

  /** A pipe table, or the blocks of all cells in order if the table only arranges the page. */
  end(region: number): HtmlBlock[] {
    const blocks = this.outside.end(region);
    const rows = this.#rows.filter((row) => row.some((cell) => cell.length > 0));
    if (rows.length === 0) return blocks;
    if (isLayout(rows)) {
      for (const row of rows) for (const cell of row) for (const block of cell) blocks.push(block);
      return blocks;
    }
    blocks.push({
      kind: BlockKind.table,
      text: pipeTable(rows.map((row) => row.map(cellText))),
      level: 0,
      region,
    });
    return blocks;
  }
}

function isLayout(rows: readonly HtmlBlock[][][]): boolean {
  if (rows.every((row) => row.length <= 1)) return true;
  const structured = (block: HtmlBlock) =>
    block.kind === BlockKind.heading || block.kind === BlockKind.code || block.kind === BlockKind.table;
  return rows.some((row) => row.some((cell) => cell.length > MAX_CELL_BLOCKS || cell.some(structured)));
}

function cellText(cell: readonly HtmlBlock[]): string {
  const text = cell.map((block) => block.text).join(' ');
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}

/** The first row is the head, because the notation has no table without one. */
function pipeTable(rows: readonly string[][]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, i) => cells[i] ?? '').join(' | ')} |`;
  const rule = `|${' --- |'.repeat(columns)}`;
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join('\n');
}
