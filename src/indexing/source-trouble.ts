import type { FileEntry } from '../documents/index.js';
import type { ErrorRecord } from '../errors.js';
import type { SourceState } from '../model/store.js';
import type { PreparedFile } from './prepare-task.js';

/**
 * What went wrong inside files on the way, until their last portion is through and their state is written. A file with
 * trouble is read again in the next run: what is in already costs a hash, and what failed gets its chance.
 */
export class SourceTrouble {
  readonly #bySource = new Map<string, { first: ErrorRecord; count: number; isIn: boolean }>();

  /** @param isIn the document is in, but lacks something that the next run may add */
  note(source: string, error: ErrorRecord, isIn = false): void {
    const trouble = this.#bySource.get(source);
    if (trouble === undefined) {
      this.#bySource.set(source, { first: error, count: 1, isIn });
      return;
    }
    trouble.count++;
    trouble.isIn &&= isIn;
  }

  /** The state of a file that is through; its trouble is forgotten. */
  settle({ file, error }: PreparedFile): SourceState {
    const trouble = this.#bySource.get(file.source);
    this.#bySource.delete(file.source);
    const { source, size, mtimeMs } = file;
    if (error !== null) return { source, size, mtimeMs, status: 'failed', error };
    if (trouble === undefined) return { source, size, mtimeMs, status: 'done', error: null };
    if (trouble.isIn) return { source, size, mtimeMs, status: 'partial', error: trouble.first };
    return isOfRecords(file)
      ? { source, size, mtimeMs, status: 'partial', error: summary(trouble) }
      : { source, size, mtimeMs, status: 'failed', error: trouble.first };
  }
}

function isOfRecords({ format }: FileEntry): boolean {
  return format === 'jsonl';
}

function summary({ first, count }: { first: ErrorRecord; count: number }): ErrorRecord {
  const message = count === 1 ? first.message : `${count} records were left out; the first: ${first.message}`;
  return { code: first.code, message, details: { ...first.details, count } };
}
