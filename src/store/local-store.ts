import { SluiceError } from '../errors.js';
import type { Passport } from '../model/passport.js';
import type { Store, StoreReader } from '../model/store.js';
import type { NativeFileLock } from '../native/contract.js';
import type { IndexLayout } from './layout.js';
import { tryWriterLock, writerLock } from './lock.js';
import type { IndexIdentity } from './opened-index.js';
import type { ResolvedStoreOptions } from './options.js';
import { LocalReader } from './reader.js';
import { LocalWriter } from './writer.js';

/** Which index it is, and what it was made with. */
export interface StoreIdentity extends IndexIdentity {
  passport: Passport;
}

/** An index in a folder. Costs nothing until a reader or a writer is asked for: each has a thread of its own. */
export class LocalStore implements Store {
  readonly passport: Passport;
  readonly #identity: IndexIdentity;
  readonly #layout: IndexLayout;
  readonly #options: ResolvedStoreOptions;
  readonly #readers = new Set<LocalReader>();
  readonly #writers = new Set<LocalWriter>();
  #closed = false;

  constructor(
    layout: IndexLayout,
    { passport, indexId, epoch }: StoreIdentity,
    options: ResolvedStoreOptions,
  ) {
    this.#layout = layout;
    this.passport = passport;
    this.#identity = { indexId, epoch };
    this.#options = options;
  }

  get folder(): string {
    return this.#layout.folder;
  }

  /** Sees the newest commit; where the last writer was killed, what it left unpublished is brought in first. */
  async reader(): Promise<StoreReader> {
    this.#check();
    const repair = () => this.#repair();
    const { dims } = this.passport.embedder;
    const reader = await LocalReader.open(
      this.#layout,
      dims,
      this.#identity,
      this.#options,
      repair,
      (closed) => this.#readers.delete(closed),
    );
    this.#readers.add(reader);
    return reader;
  }

  async writer(): Promise<LocalWriter> {
    this.#check();
    if (this.#options.readonly) {
      throw new SluiceError('SLUICE_USAGE', `the index ${this.#layout.folder} was opened for reading only`);
    }
    const lock = writerLock(this.#layout);
    const writer = await this.#openWriter(lock, () => this.#writers.delete(writer));
    this.#writers.add(writer);
    return writer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Readers first: a writer that is the last one leaves everything in one file.
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    await Promise.all([...this.#writers].map((writer) => writer.close()));
    this.#readers.clear();
    this.#writers.clear();
  }

  async #repair(): Promise<boolean> {
    if (this.#options.readonly) return false;
    const lock = tryWriterLock(this.#layout);
    if (!lock) return false;
    const writer = await this.#openWriter(lock);
    await writer.close();
    return true;
  }

  #openWriter(lock: NativeFileLock, onClosed?: () => void): Promise<LocalWriter> {
    const { dims } = this.passport.embedder;
    return LocalWriter.open(this.#layout, dims, this.#identity, this.#options, lock, onClosed);
  }

  #check(): void {
    if (this.#closed)
      throw new SluiceError('SLUICE_INDEX_CLOSED', `the index ${this.#layout.folder} was closed`);
  }
}
