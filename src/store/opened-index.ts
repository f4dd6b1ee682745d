import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SluiceError } from '../errors.js';
import { type Connection, readSetting } from './schema.js';
import { refuseOtherEpoch } from './vectors-epoch.js';

/** Which index a handle was opened on, and which making of its vectors. */
export interface IndexIdentity {
  indexId: string;
  epoch: number;
}

/**
 * Holds an open database to the index that the handle is of. A folder can be replaced while a handle is open: a
 * connection that is opened later finds the other index, one that was opened before works on a file that is in no
 * folder any more.
 */
export class OpenedIndex {
  readonly #db: Connection;
  readonly #file: string;
  readonly #opened: string | undefined;
  readonly #expected: IndexIdentity;

  /**
   * @param open opens the database; what opened before it is compared is the file that lies there now
   * @throws SLUICE_PASSPORT_MISMATCH as `check`; the connection is closed then
   */
  constructor(file: string, open: (file: string) => Connection, expected: IndexIdentity) {
    this.#file = file;
    this.#expected = expected;
    this.#opened = fileAt(file);
    this.#db = open(file);
    try {
      this.check();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get db(): Connection {
    return this.#db;
  }

  get epoch(): number {
    return this.#expected.epoch;
  }

  /** Whether another index lies there now, or none. */
  get isReplaced(): boolean {
    return (
      fileAt(this.#file) !== this.#opened ||
      readSetting<string>(this.#db, 'indexId') !== this.#expected.indexId
    );
  }

  /** @throws SLUICE_PASSPORT_MISMATCH where another index lies there now, or the vectors were made anew */
  check(): void {
    this.checkPlace();
    refuseOtherEpoch(this.#db, this.#expected.epoch);
  }

  /** For what has nothing to do with vectors. @throws SLUICE_PASSPORT_MISMATCH where another index lies there now */
  checkPlace(): void {
    if (this.isReplaced) {
      const fate = fileAt(this.#file) === undefined ? 'removed' : 'replaced';
      throw new SluiceError('SLUICE_PASSPORT_MISMATCH', `the index in ${dirname(this.#file)} was ${fate}`, {
        hint: 'open it again',
        details: {
          field: 'indexId',
          expected: this.#expected.indexId,
          actual: readSetting<string>(this.#db, 'indexId') ?? null,
        },
      });
    }
  }
}

/** Device and inode: another file at the same path has others. Undefined where there is none. */
function fileAt(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
