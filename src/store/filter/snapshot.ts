import { SluiceError } from '../../errors.js';
import type { DocumentCounts, Facets, LabelSet } from '../../model/store.js';
import { addon } from '../../native/addon.js';
import type { NativeFilterIndex } from '../../native/contract.js';
import { ownersAt } from '../branch-marks.js';
import { makeBits } from '../label-bits.js';
import { purgedUntil } from '../purge.js';
import { type Connection, readSetting, VISIBLE } from '../schema.js';
import { toFacets } from './facet-rows.js';
import { filterGenerations, openFilters } from './files.js';
import { unknownField } from './grammar.js';
import { feedRows } from './rows.js';

const OPEN_ATTEMPTS = 3;

/** A segment in memory: documents with keys above `after`. */
interface TailSegment {
  after: number;
}

/**
 * The filter columns of a reader's generation: the newest file, and the documents that came after it (the tail) in
 * memory. Without a sound file all documents are in memory: slower to open, as right. Filters come as `encodeFilter`
 * makes them.
 */
export class FilterSnapshot {
  readonly #db: Connection;
  readonly #folder: string;
  readonly #indexId: string;
  readonly #native: NativeFilterIndex = addon().FilterIndex.create();
  /** Generation of the file in use; 0 for none. */
  #file = 0;
  #tail: TailSegment[] = [];
  /** Highest key of a row that was born by `#generation`, as far as rows were looked at. */
  #lastKey = 0;
  #generation = 0;
  /** A move failed: what the segments hold is of no generation. */
  #isHalfMoved = false;
  readonly #damaged = new Map<number, string>();

  constructor(db: Connection, folder: string) {
    this.#db = db;
    this.#folder = folder;
    this.#indexId = readSetting<string>(db, 'indexId')!;
  }

  /** Why a file is not used. */
  get problem(): string | undefined {
    const [newest] = filterGenerations(this.#folder);
    const reason = newest === undefined ? undefined : this.#damaged.get(newest);
    return reason === undefined
      ? undefined
      : `${reason}; filters work from memory, and the next publish writes a new file`;
  }

  async moveTo(generation: number): Promise<void> {
    // A file that was ahead of this reader lacks what died before it, and hides what was born: it is opened anew.
    const isAhead = this.#file > this.#generation;
    if (this.#isHalfMoved || isAhead || generation < this.#generation) await this.#clear();
    this.#isHalfMoved = true;
    const opened = await this.#openNewest(generation);
    if (opened || generation !== this.#generation) {
      // What is in the segments is as of this generation.
      const base = opened ? Math.min(this.#file, generation) : this.#generation;
      await this.#bury(base, generation);
      await this.#addTail(generation);
      this.#generation = generation;
    }
    this.#isHalfMoved = false;
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD */
  async select(filter: string, maxLabel: number): Promise<LabelSet> {
    const { unknown, bits, count } = await this.#whole().select(filter, maxLabel);
    await this.#checkKnown(unknown);
    const shared = makeBits(maxLabel);
    shared.set(bits);
    return { bits: shared, count };
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD */
  async count(filter: string): Promise<DocumentCounts> {
    const { unknown, documents, chunks } = await this.#whole().count(filter);
    await this.#checkKnown(unknown);
    return { documents, chunks };
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD */
  async facets(field: string, filter: string, limit: number): Promise<Facets> {
    const rows = await this.#whole().facets(field, filter, limit);
    await this.#checkKnown(rows.unknown);
    return toFacets(rows);
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD */
  async list(filter: string, after: string | null, limit: number): Promise<string[]> {
    const { unknown, ids } = await this.#whole().list(filter, after, limit);
    await this.#checkKnown(unknown);
    return ids;
  }

  #whole(): NativeFilterIndex {
    if (!this.#isHalfMoved) return this.#native;
    throw new SluiceError('SLUICE_NATIVE_FAILED', 'the filter columns could not be brought up to date', {
      hint: 'refresh the reader, or open the index again',
    });
  }

  async #checkKnown([field]: string[]): Promise<void> {
    if (field !== undefined) throw unknownField(field, await this.#native.fields());
  }

  /** @returns whether another file is in use than before, and nothing besides it */
  async #openNewest(generation: number): Promise<boolean> {
    // The writer removes older files: one that has vanished means that there is a newer one to look for.
    for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
      let vanished = false;
      for (const candidate of filterGenerations(this.#folder)) {
        if (candidate === this.#file) return false;
        if (this.#damaged.has(candidate)) continue;
        try {
          const owners = ownersAt(this.#db, 'filters', this.#indexId, candidate);
          await openFilters(this.#native, this.#folder, candidate, owners, generation);
        } catch (error) {
          const { code, message } = error as { code?: string; message: string };
          if (code === 'SLUICE_NOT_FOUND') vanished = true;
          else this.#damaged.set(candidate, message);
          continue;
        }
        this.#file = candidate;
        this.#tail = [];
        this.#lastKey = this.#native.lastKey;
        return true;
      }
      if (!vanished) return false;
    }
    return false;
  }

  async #clear(): Promise<void> {
    await this.#native.keep(0);
    this.#file = 0;
    this.#tail = [];
    this.#lastKey = 0;
    this.#generation = 0;
  }

  /** Marks what died after `base`, and by `generation`. */
  async #bury(base: number, generation: number): Promise<void> {
    if (this.#native.segments.length === 0) return;
    const died = this.#keys('d.born <= @base AND d.died > @base AND d.died <= @generation', {
      base,
      generation,
    });
    // Read after the dead: whatever is purged from now on is among them.
    const purged = purgedUntil(this.#db);
    if (purged > base) await this.#native.retain(this.#keys(VISIBLE, { generation }));
    else await this.#native.remove(died);
  }

  async #addTail(generation: number): Promise<void> {
    if (this.#file > generation) {
      // A file that is ahead lacks what died in between; there is no tail after it.
      const lost = `${VISIBLE} AND d.died <= @file`;
      await feedRows(this.#db, this.#native, 0, lost, { generation, file: this.#file });
      await this.#native.seal();
      return;
    }
    const parameters = { generation, after: this.#lastKey };
    const counted = this.#db
      .prepare<typeof parameters, { rows: number; last: number | null }>(
        `SELECT count(*) AS rows, max(key) AS last FROM documents d NOT INDEXED WHERE d.key > @after AND ${VISIBLE}`,
      )
      .get(parameters)!;
    if (counted.last === null) return;
    const after = await this.#mergeTail(counted.rows);
    await feedRows(this.#db, this.#native, after, VISIBLE, { generation });
    await this.#native.seal();
    this.#tail.push({ after });
    this.#lastKey = counted.last;
  }

  /**
   * Takes the small segments at the end back, so that there is a logarithmic number of them, each made that often.
   * @returns the key after which rows are to be read
   */
  async #mergeTail(rows: number): Promise<number> {
    const sizes = [...this.#native.segments];
    let after = this.#lastKey;
    let merged = rows;
    while (this.#tail.length > 0 && sizes.at(-1)! <= merged) {
      merged += sizes.pop()!;
      after = this.#tail.pop()!.after;
    }
    await this.#native.keep(sizes.length);
    return after;
  }

  #keys(condition: string, parameters: Record<string, number>): Float64Array {
    const sql = `SELECT key FROM documents d WHERE ${condition}`;
    return Float64Array.from(this.#db.prepare<Record<string, number>, number>(sql).pluck().all(parameters));
  }
}
