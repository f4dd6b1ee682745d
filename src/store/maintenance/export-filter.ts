import type { DocumentCounts } from '../../model/store.js';
import type { FilterNode } from '../filter/node.js';
import { FilterSnapshot } from '../filter/snapshot.js';
import type { IndexLayout } from '../layout.js';
import { type Connection, lastLabel, readSetting } from '../schema.js';

/** A live document, as far as it takes to say whether a filter lets it pass. */
export interface FilteredRow {
  id: string;
  /** Label of its first chunk, and how many it has. */
  first: number;
  count: number;
}

/**
 * Which live documents of a database pass a filter, asked of the same columns that searches ask. The caller holds a
 * transaction from before it is opened until after it was used last.
 */
export class ExportFilter {
  readonly counts: DocumentCounts;
  readonly #columns: FilterSnapshot;
  readonly #node: FilterNode;
  readonly #bits: Uint8Array;

  private constructor(columns: FilterSnapshot, node: FilterNode, counts: DocumentCounts, bits: Uint8Array) {
    this.#columns = columns;
    this.#node = node;
    this.counts = counts;
    this.#bits = bits;
  }

  /**
   * @param encoded as `encodeFilter` makes it
   * @throws SLUICE_FILTER_UNKNOWN_FIELD
   */
  static async open(db: Connection, layout: IndexLayout, encoded: string): Promise<ExportFilter> {
    const columns = new FilterSnapshot(db, layout.filters);
    await columns.moveTo(readSetting<number>(db, 'generation')!);
    const counts = await columns.count(encoded);
    const { bits } = await columns.select(encoded, lastLabel(db));
    return new ExportFilter(columns, JSON.parse(encoded), counts, bits);
  }

  /** In the order of the rows. */
  async allows(rows: readonly FilteredRow[]): Promise<boolean[]> {
    // A document without chunks is in no set of labels.
    const bare = rows.filter(({ count }) => count === 0).map(({ id }) => id);
    const allowed = new Set(bare.length === 0 ? [] : await this.#idsAmong(bare));
    return rows.map(({ id, first, count }) =>
      count === 0 ? allowed.has(id) : ((this.#bits[first >> 3] ?? 0) & (1 << (first & 7))) !== 0,
    );
  }

  #idsAmong(ids: readonly string[]): Promise<string[]> {
    const named: FilterNode = { kind: 'field', field: '$id', test: { op: 'in', values: ids } };
    const both: FilterNode = { kind: 'all', nodes: [this.#node, named] };
    return this.#columns.list(JSON.stringify(both), null, ids.length);
  }
}
