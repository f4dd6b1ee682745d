import { addon } from '../../native/addon.js';
import { addMark, markedOwner, ownersAt } from '../branch-marks.js';
import { makeFolder } from '../durable-folder.js';
import type { ResolvedStoreOptions } from '../options.js';
import { purgedUntil } from '../purge.js';
import { type Connection, readSetting } from '../schema.js';
import { filterFile, filterGenerations, openFilters, removeOtherFilters } from './files.js';
import { feedRows } from './rows.js';

/** A tail below this share of the live documents is left to memory. */
const TAIL_SHARE = 0.1;

interface PublishedFile {
  generation: number;
  lastKey: number;
}

/** The writer's side of the filter columns: decides when a new file is worth writing, and does it. */
export class FilterPublisher {
  readonly #db: Connection;
  readonly #folder: string;
  readonly #threshold: number;
  readonly #index: string;
  /** The sound file that lies there; null before the first look, undefined where there is none. */
  #newest: PublishedFile | undefined | null = null;

  constructor(db: Connection, folder: string, { filterThreshold }: ResolvedStoreOptions) {
    this.#db = db;
    this.#folder = folder;
    this.#threshold = filterThreshold;
    this.#index = readSetting<string>(db, 'indexId')!;
  }

  /**
   * Writes the documents that live now into a new file, if enough of them are not in the last one. Durable then.
   * @param anew writes it in any case, or removes it where they are too few for one
   */
  async publish(anew = false): Promise<void> {
    if (anew) this.#newest = undefined;
    else if (this.#newest === null) this.#newest = await this.#find();
    if (anew && !this.#isWorthwhile(undefined)) removeOtherFilters(this.#folder, undefined);
    if (!this.#isWorthwhile(this.#newest)) return;
    const generation = readSetting<number>(this.#db, 'generation')!;
    makeFolder(this.#folder);
    const writer = addon().FilterWriter.create();
    await feedRows(this.#db, writer, 0, 'd.died IS NULL', {});
    const owner = markedOwner(this.#index, addMark(this.#db, 'filters', generation));
    await writer.save(filterFile(this.#folder, generation), owner, generation);
    const lastKey = this.#number('SELECT coalesce(max(key), 0) FROM documents');
    this.#newest = { generation, lastKey };
    removeOtherFilters(this.#folder, generation);
  }

  #isWorthwhile(file: PublishedFile | undefined): boolean {
    const live = this.#number('SELECT count(*) FROM documents WHERE died IS NULL');
    if (!file) return live > this.#threshold;
    // After a purge readers can no longer ask who has died since the file was made, and must go through all documents.
    if (purgedUntil(this.#db) > file.generation) return true;
    const born = this.#number(
      'SELECT count(*) FROM documents NOT INDEXED WHERE key > ? AND died IS NULL',
      file.lastKey,
    );
    const died = this.#number('SELECT count(*) FROM documents WHERE died > ?', file.generation);
    return Math.max(born, died) > Math.max(this.#threshold, live * TAIL_SHARE);
  }

  async #find(): Promise<PublishedFile | undefined> {
    for (const generation of filterGenerations(this.#folder)) {
      const index = addon().FilterIndex.create();
      try {
        const owners = ownersAt(this.#db, 'filters', this.#index, generation);
        await openFilters(index, this.#folder, generation, owners);
        removeOtherFilters(this.#folder, generation);
        return { generation, lastKey: index.lastKey };
      } catch {
        // Damaged or foreign: like none at all.
      }
    }
    removeOtherFilters(this.#folder, undefined);
    return undefined;
  }

  #number(sql: string, ...parameters: number[]): number {
    return this.#db
      .prepare(sql)
      .pluck()
      .get(...parameters) as number;
  }
}
