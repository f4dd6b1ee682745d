import { Piscina } from 'piscina';
import { fromErrorRecord, SluiceError, throwIfAborted, toErrorRecord, toSluiceError } from '../errors.js';
import { onnxRuntime } from '../inference/runtime.js';
import { addon } from '../native/addon.js';
import { onAbort } from '../threads/abort-listeners.js';
import { LoneThread } from './lone-thread.js';
import { moduleUrls } from './module-calls.js';
import { ModuleWatch } from './module-watch.js';
import { itemsOf, type LeftOut, leftOut, nameOf } from './portion-items.js';
import type { PortionCall, PrepareSetup, PrepareTask } from './prepare-task.js';
import type { Answer } from './prepare-worker.js';
import { ItemMarks, ThreadMarks } from './thread-marks.js';
import type { WorkerDeath } from './worker-death.js';
import { DEFAULT_MODULE_TIMEOUT_MS, deathError, moduleStopped, overTime } from './worker-death.js';

export interface PortionThreadsOptions {
  /** Of the compiled module whose functions are called. */
  url: URL;
  setup: PrepareSetup;
  threads: number;
  /** Portions that one thread has under way side by side. */
  concurrency?: number;
}

interface Death extends WorkerDeath {
  /** Items that the thread was at, by their place in the portion. */
  suspects: number[];
  /** It had begun with the portion. */
  hadBegun: boolean;
}

/**
 * Worker threads for portions of work that outlive what is in them. A thread that dies (a module that exits, hangs or
 * throws outside of its call; a file that takes all memory) takes its portion with it: the portion is then done again in
 * threads of its own, in parts, until what killed it stands alone. That is left out and reported, and nothing else.
 */
export class PortionThreads {
  readonly #options: PortionThreadsOptions;
  readonly #modules: readonly string[];
  readonly #limitMs: number;
  readonly #memory = ThreadMarks.memory();
  readonly #watch: ModuleWatch | undefined;
  #pool: Piscina | undefined;
  #lone: LoneThread<unknown> | undefined;
  #loneTurn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: PortionThreadsOptions) {
    const { setup } = options;
    // Addons are loaded once here before any worker loads them: concurrent first loads have crashed processes.
    addon();
    if (setup.sentences) onnxRuntime();
    this.#modules = moduleUrls(setup);
    this.#limitMs = setup.moduleTimeoutMs ?? DEFAULT_MODULE_TIMEOUT_MS;
    this.#options = { ...options, setup: { ...setup, threadMarks: this.#memory } };
    if (this.#modules.length > 0)
      this.#watch = new ModuleWatch(this.#memory, this.#limitMs, () => [
        ...(this.#pool?.threads ?? []),
        ...(this.#lone ? [this.#lone.worker] : []),
      ]);
    this.#startedPool();
  }

  /** Calls a function that has nothing to do with any document. */
  async ask<T>(name: string, argument?: unknown): Promise<T> {
    const endings = this.#watch?.endings;
    const call = () => this.#startedPool().run(argument, { name }) as Promise<Answer<T>>;
    let answer: Answer<T>;
    try {
      answer = await call();
    } catch (error) {
      this.#refuseClosed();
      if (this.#watch?.endings !== endings) throw this.#loadError(overTime(this.#limitMs));
      // Something else in the thread has killed it, perhaps.
      answer = await call().catch(() => {
        this.#refuseClosed();
        if (this.#modules.length === 0) throw error;
        throw this.#loadError(toErrorRecord(error).message);
      });
    }
    return valueIn(answer);
  }

  /**
   * Calls a function for a portion of work.
   * @param without makes the result of an item that is left out
   * @returns one result; several, in the order of the portion, where a thread died of it
   * @throws SLUICE_ABORTED with modules of the caller as soon as the signal fires: nobody knows whether they come back
   */
  async portion<T>(
    name: string,
    task: PrepareTask,
    without: (item: LeftOut) => T,
    signal?: AbortSignal,
  ): Promise<T[]> {
    const memory = ItemMarks.memory();
    const pool = this.#startedPool();
    const forget = this.#modules.length > 0 ? onAbort(signal, () => void this.#give(pool)) : () => {};
    try {
      if (this.#modules.length > 0) throwIfAborted(signal);
      const call: PortionCall = { task, marks: memory };
      return [valueIn((await pool.run(call, { name })) as Answer<T>)];
    } catch (error) {
      if (SluiceError.is(error)) throw error;
      this.#refuseClosed();
      throwIfAborted(signal);
      const death = this.#death(error, new ItemMarks(memory));
      const rescue: Rescue<T> = { name, without, signal };
      return this.#inTurn(() => this.#rescued(rescue, task, death));
    } finally {
      forget();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch?.stop();
    this.#lone?.end();
    const pool = this.#pool;
    this.#pool = undefined;
    // A module may never come back.
    if (this.#modules.length === 0) await pool?.close({ force: true });
    await pool?.destroy();
  }

  #startedPool(): Piscina {
    this.#refuseClosed();
    if (this.#pool !== undefined) return this.#pool;
    const { url, setup, threads, concurrency = 1 } = this.#options;
    const pool = new Piscina({
      filename: url.href,
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: 60_000,
      concurrentTasksPerWorker: concurrency,
      workerData: setup,
    });
    // Of a thread that died between two portions, by what one left behind: another one is started.
    pool.on('error', () => {});
    this.#pool = pool;
    return pool;
  }

  /** Ends all threads and what they are at. */
  #give(pool: Piscina): void {
    if (this.#pool === pool) this.#pool = undefined;
    void pool.destroy();
  }

  /** Two portions that are rescued side by side could hurt each other again, and would take more threads than there are cores. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#loneTurn.then(work);
    this.#loneTurn = turn.catch(() => {});
    return turn;
  }

  /** The results of a portion that a thread died of, less the items that it may have died of and do so again. */
  async #rescued<T>(rescue: Rescue<T>, task: PrepareTask, death: Death): Promise<T[]> {
    const { count, part } = itemsOf(task);
    const results: T[] = [];
    for (const [from, to] of partsOf(count, death)) {
      throwIfAborted(rescue.signal);
      const isCertain = death.reason === 'time' && death.suspects.length === 1 && from === death.suspects[0];
      if (isCertain) results.push(this.#leftOut(rescue, part(from, to), death));
      else results.push(...(await this.#retried(rescue, part(from, to), to - from)));
    }
    return results;
  }

  /** The same portion in a thread of its own. */
  async #retried<T>(rescue: Rescue<T>, task: PrepareTask, items: number): Promise<T[]> {
    this.#refuseClosed();
    const memory = ItemMarks.memory();
    const { url, setup } = this.#options;
    const argument: PortionCall = { task, marks: memory };
    const lone = new LoneThread<Answer<T>>(setup, { module: url.href, name: rescue.name, argument });
    this.#lone = lone;
    const forget = onAbort(rescue.signal, () => lone.end());
    try {
      const outcome = await lone.outcome;
      if ('answer' in outcome) return [valueIn(outcome.answer)];
      this.#refuseClosed();
      throwIfAborted(rescue.signal);
      const death = this.#death(outcome.error, new ItemMarks(memory), lone.thread);
      // No document can be blamed for a thread that does not start.
      if (!death.hadBegun && death.module !== undefined)
        throw moduleStopped(death.module, undefined, death.message);
      if (!death.hadBegun)
        throw toSluiceError(outcome.error, 'SLUICE_INTERNAL', 'a worker thread does not start');
      return items === 1 ? [this.#leftOut(rescue, task, death)] : this.#rescued(rescue, task, death);
    } finally {
      forget();
      if (this.#lone === lone) this.#lone = undefined;
    }
  }

  #leftOut<T>({ without }: Rescue<T>, task: PrepareTask, death: Death): T {
    return without(leftOut(task, toErrorRecord(deathError(death, nameOf(task)))));
  }

  #death(error: unknown, items: ItemMarks, thread = items.thread): Death {
    const { calls, module } = new ThreadMarks(this.#memory, thread);
    const hungUp = this.#watch?.hasEnded(thread) === true;
    const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    const hasExited = /^worker exited with code/.test(toErrorRecord(error).message);
    // What runs out of memory after a module has come back is not the module's.
    const blamed = module !== undefined && !(isMemory && calls === 0) ? this.#modules[module] : undefined;
    return {
      reason: hungUp ? 'time' : isMemory ? 'memory' : hasExited ? 'exit' : 'error',
      message: hungUp ? overTime(this.#limitMs) : toErrorRecord(error).message,
      module: blamed,
      suspects: items.items,
      hadBegun: items.thread !== 0,
    };
  }

  #loadError(what: string): SluiceError {
    return moduleStopped(this.#modules.join(', '), undefined, what);
  }

  #refuseClosed(): void {
    if (this.#closed) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index was closed');
  }
}

interface Rescue<T> {
  name: string;
  without: (item: LeftOut) => T;
  signal: AbortSignal | undefined;
}

/** Each suspect alone, and what lies between them; halves where nobody is suspected. */
function partsOf(count: number, { suspects, hadBegun }: Death): [number, number][] {
  if (!hadBegun || count === 1) return [[0, count]];
  const half = Math.ceil(count / 2);
  const edges = suspects.length === 0 ? [half] : suspects.flatMap((item) => [item, item + 1]);
  const cuts = [...new Set([0, ...edges.filter((edge) => edge < count), count])];
  return cuts.slice(1).map((to, i) => [cuts[i]!, to]);
}

function valueIn<T>(answer: Answer<T>): T {
  if ('failure' in answer) throw fromErrorRecord(answer.failure);
  return answer.value;
}
