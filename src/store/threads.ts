import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type ErrorRecord, fromErrorRecord, SluiceError } from '../errors.js';
import { placed, troubleRecord } from './trouble.js';

/**
 * One worker thread with functions that can be called by name. Errors cross as records, because structured cloning
 * would strip codes and details.
 */

export type Answer<R> = { value: R } | { error: ErrorRecord };
export type Task<A, R> = (argument: A) => Promise<Answer<R>>;

/** Worker side: wraps a function for being called from outside. */
export function task<A, R>(run: (argument: A) => R | Promise<R>): Task<A, R> {
  return async (argument) => {
    try {
      return { value: await run(argument) };
    } catch (error) {
      return { error: troubleRecord(error) };
    }
  };
}

type ArgumentOf<T> = T extends (argument: infer A) => unknown ? A : never;
type ValueOf<T> = T extends Task<never, infer R> ? R : never;

/** Caller's side. `Tasks` is the type of the worker's module: `typeof import('./x-thread.js')`. */
export class WorkerThread<Tasks> {
  readonly #pool: Piscina;
  readonly #what: string;
  #closing: Promise<void> | undefined;

  /**
   * @param concurrency calls that may be under way in the worker at once; 1 makes them strictly sequential
   * @param what names the thread in errors, e.g. 'the reader of the index /a/b'
   */
  constructor(file: URL, concurrency: number, what: string) {
    // Without atomics the worker's event loop runs while it waits, and native promises settle.
    this.#pool = new Piscina({
      filename: file.href,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: concurrency,
      atomics: 'disabled',
      recordTiming: false,
    });
    this.#what = what;
  }

  async call<K extends keyof Tasks & string>(
    name: K,
    argument: ArgumentOf<Tasks[K]>,
    transfer: Transferable[] = [],
  ): Promise<ValueOf<Tasks[K]>> {
    if (this.#closing) throw new SluiceError('SLUICE_INDEX_CLOSED', `${this.#what} is closed`);
    let answer: Answer<ValueOf<Tasks[K]>>;
    try {
      answer = await this.#pool.run(argument, { name, transferList: transfer as never });
    } catch (error) {
      throw fromErrorRecord(troubleRecord(error));
    }
    if ('error' in answer) throw fromErrorRecord(placed(answer.error, this.#what));
    return answer.value;
  }

  /** Waits for the calls under way, then ends the thread. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.close();
    return this.#closing;
  }
}
