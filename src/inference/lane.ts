import { type ErrorRecord, SluiceError, throwIfAborted } from '../errors.js';
import { onAbort } from '../threads/abort-listeners.js';
import type { ReplyOf, WorkerTask } from './protocol.js';
import { SessionPool } from './session-pool.js';
import type { Priority, ThreadBudget } from './thread-budget.js';

/** Rows [from, to) of a job. */
export type Piece = readonly [from: number, to: number];

/** Work that goes to the workers in pieces, which may finish in any order. */
export interface LaneJob<K extends WorkerTask['kind']> {
  pieces: Piece[];
  /** Makes the message of a piece when a core is free for it, over buffers that are transferred. */
  task(piece: Piece): Extract<WorkerTask, { kind: K }>;
  /** Takes a reply in. Returns the rows that it covers: fewer than asked for if the worker made room for a query. */
  accept(piece: Piece, reply: ReplyOf[K]): number;
  /** Turns the record of a failed piece into what the caller sees. */
  failure(piece: Piece, record: ErrorRecord): SluiceError;
}

interface QueuedJob {
  job: LaneJob<WorkerTask['kind']>;
  /** Pieces that nobody works on, the next one last. */
  waiting: Piece[];
  running: number;
  settle(error?: unknown): void;
}

export interface LaneOptions {
  priority: Priority;
  /** Most workers. They start as the work asks for them. */
  workers: number;
  budget: ThreadBudget;
  /** Name of the channel on which workers hear what to release. */
  channel: string;
}

/**
 * A queue of jobs and its workers. Every running piece holds a core of the budget. Jobs are served in order; an
 * aborted one leaves the queue at once, while a piece that is inside a model runs to its end there and is forgotten.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #queue: QueuedJob[] = [];
  readonly #open = new Set<QueuedJob>();
  readonly #runners = new Set<Promise<void>>();
  readonly #pool: SessionPool;
  /** Runners that will look at the queue again. */
  #serving = 0;
  #closing: Promise<void> | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    const { workers, channel, priority, budget } = options;
    const waitingQueries = priority === 'bulk' ? budget.waitingQueries : undefined;
    this.#pool = new SessionPool(workers, { channel, waitingQueries });
  }

  /** Worker threads that exist now. */
  get threads(): number {
    return this.#pool.threads;
  }

  /** @throws what a piece failed with; SLUICE_ABORTED by the signal, or when the lane closes */
  async run<K extends WorkerTask['kind']>(job: LaneJob<K>, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.#closing) throw closedError();
    if (job.pieces.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      const abort = () => queued.settle(new SluiceError('SLUICE_ABORTED', 'the operation was aborted'));
      const queued: QueuedJob = {
        job: job as unknown as QueuedJob['job'],
        waiting: job.pieces.toReversed(),
        running: 0,
        settle: (error) => {
          if (!this.#open.delete(queued)) return;
          forget();
          if (queued.waiting.length > 0) this.#queue.splice(this.#queue.indexOf(queued), 1);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      const forget = onAbort(signal, abort);
      this.#open.add(queued);
      this.#queue.push(queued);
      this.#startRunners();
    });
  }

  /** Rejects what waits, lets running pieces end, then ends the workers. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    for (const queued of [...this.#open]) queued.settle(closedError());
    await Promise.all(this.#runners);
    await this.#pool.close();
  }

  #startRunners(): void {
    const pieces = this.#queue.reduce((sum, { waiting }) => sum + waiting.length, 0);
    const wanted = Math.min(this.#options.workers, this.#serving + pieces);
    while (this.#serving < wanted) {
      this.#serving++;
      const runner: Promise<void> = this.#serve().finally(() => this.#runners.delete(runner));
      this.#runners.add(runner);
    }
  }

  /** Takes pieces as long as there are any, each with a core of its own. */
  async #serve(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const release = await this.#options.budget.acquire(this.#options.priority);
        try {
          const taken = this.#take();
          if (taken) await this.#runPiece(...taken);
        } finally {
          release();
        }
      }
    } finally {
      // In the same breath as the last look at the queue, so that no job comes in between and finds nobody.
      this.#serving--;
    }
  }

  /** Bulk jobs are served one after another; queries by turns, so that a short one passes a long rerank. */
  #take(): [QueuedJob, Piece] | undefined {
    const queued = this.#queue.shift();
    const piece = queued?.waiting.pop();
    if (!queued || !piece) return undefined;
    if (queued.waiting.length > 0) {
      if (this.#options.priority === 'query') this.#queue.push(queued);
      else this.#queue.unshift(queued);
    }
    return [queued, piece];
  }

  async #runPiece(queued: QueuedJob, piece: Piece): Promise<void> {
    queued.running++;
    try {
      const reply = await this.#pool.run(queued.job.task(piece));
      if (!this.#open.has(queued)) return;
      if ('error' in reply) throw queued.job.failure(piece, reply.error);
      const rest = piece[0] + queued.job.accept(piece, reply.value);
      queued.running--;
      if (rest < piece[1]) this.#giveBack(queued, [rest, piece[1]]);
      else if (queued.running === 0 && queued.waiting.length === 0) queued.settle();
    } catch (error) {
      queued.settle(error);
    }
  }

  /** What a worker left of a piece is the next piece, before all others. */
  #giveBack(queued: QueuedJob, piece: Piece): void {
    if (queued.waiting.length === 0) this.#queue.unshift(queued);
    queued.waiting.push(piece);
  }
}

function closedError(): SluiceError {
  return new SluiceError('SLUICE_ABORTED', 'the inference engine was closed');
}
