import { Piscina } from 'piscina';
import { SluiceError } from '../errors.js';
import { transferList } from '../threads/transfer.js';
import { workerUrl } from '../threads/worker-url.js';
import type { WorkerReply, WorkerSetup, WorkerTask } from './protocol.js';

/**
 * The worker threads of a lane, over Piscina. They start as work asks for them and stay until `close`, since starting
 * a worker and its session costs more than keeping them.
 */
export class SessionPool {
  readonly #workers: number;
  readonly #setup: WorkerSetup;
  readonly #file: string;
  #pool: Piscina | undefined;
  /** Rejects if workers of the present pool cannot start. */
  #failure: Promise<never> | undefined;

  /** @param file the worker's module; another one only in tests */
  constructor(
    workers: number,
    setup: WorkerSetup,
    file: string = workerUrl(import.meta.url, './session-worker.js').href,
  ) {
    this.#workers = workers;
    this.#setup = setup;
    this.#file = file;
  }

  /** Threads that exist now. */
  get threads(): number {
    return this.#pool?.threads.length ?? 0;
  }

  /**
   * Runs a task in a worker; the buffers of the task are transferred.
   * @throws SLUICE_MODEL_FAILED if the worker could not start, or died
   */
  async run(task: WorkerTask): Promise<WorkerReply<never>> {
    const pool = this.#pool ?? this.#start();
    try {
      return await Promise.race([pool.run(task, { transferList: transferList(task) }), this.#failure!]);
    } catch (cause) {
      throw new SluiceError('SLUICE_MODEL_FAILED', `an inference worker died: ${(cause as Error).message}`, {
        cause,
      });
    }
  }

  /** Ends the workers. Wait for running tasks before: a run inside ONNX Runtime should not be cut short. */
  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  #start(): Piscina {
    const pool = new Piscina({
      filename: this.#file,
      workerData: this.#setup,
      minThreads: 0,
      maxThreads: this.#workers,
      idleTimeout: Number.POSITIVE_INFINITY,
      // An idle worker must hear the channel, so it may not sleep inside Atomics.wait.
      atomics: 'disabled',
      recordTiming: false,
    });
    this.#failure = new Promise((_, reject) => {
      pool.on('error', (cause) => {
        // Tasks still in Piscina's queue mean that their worker never got ready. Piscina neither rejects them nor
        // tries again; this fails them all, once, and the next task gets a pool of its own.
        if (pool.queueSize === 0) return;
        reject(cause);
        if (this.#pool === pool) this.#pool = undefined;
        pool.destroy().catch(() => {});
      });
    });
    this.#failure.catch(() => {});
    this.#pool = pool;
    return pool;
  }
}
