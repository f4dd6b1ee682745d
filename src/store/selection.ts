import { SluiceError } from '../errors.js';
import type { LabelSet } from '../model/store.js';
import type { FilterNode } from './filter/parse.js';
import { FilterResolver } from './filter/resolve.js';
import { makeBits, setRange } from './label-bits.js';
import { type Connection, VISIBLE } from './schema.js';

/** Finds the chunks that a filter allows: one pass over the documents of a generation. */
export class Selector {
  readonly #db: Connection;
  readonly #resolver: FilterResolver;

  constructor(db: Connection) {
    this.#db = db;
    this.#resolver = new FilterResolver(db);
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD, SLUICE_FILTER_INVALID */
  select(filter: FilterNode | undefined, generation: number, maxLabel: number): LabelSet {
    const bits = makeBits(maxLabel);
    let count = 0;
    const compiled = filter ? this.#resolver.compile(filter) : { sql: '1', parameters: {} };
    for (const [first, chunks] of this.#rows(compiled.sql, { ...compiled.parameters, generation })) {
      setRange(bits, first, chunks);
      count += chunks;
    }
    return { bits, count };
  }

  #rows(condition: string, parameters: Record<string, string | number>): Iterable<[number, number]> {
    const sql = `SELECT d.first_label, d.chunk_count FROM documents d WHERE ${VISIBLE} AND (${condition})`;
    try {
      return this.#db
        .prepare<Record<string, string | number>, [number, number]>(sql)
        .raw()
        .iterate(parameters);
    } catch (error) {
      if (!/too (large|deep|many)|stack overflow/i.test((error as Error).message)) throw error;
      throw new SluiceError('SLUICE_FILTER_INVALID', `the filter is too large: ${(error as Error).message}`, {
        hint: 'use "in" for long lists, and nest less',
      });
    }
  }
}
