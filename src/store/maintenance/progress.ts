import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { SluiceError } from '../../errors.js';
import type { MaintenanceProgress } from '../../model/store.js';

export type OnProgress = (progress: MaintenanceProgress) => void;

/** Steps between two reports: a message costs some 10 µs. */
const STEPS_A_REPORT = 256;

/** Worker side: counts steps and sends some of them. */
export class ProgressSender {
  readonly #port: MessagePort | undefined;
  #phase = '';
  #done = 0;
  #total = 0;

  constructor(port: MessagePort | undefined) {
    this.#port = port;
  }

  start(phase: string, total = 0): void {
    this.#phase = phase;
    this.#total = total;
    this.#done = 0;
    this.#send();
  }

  step(steps = 1): void {
    const before = Math.floor(this.#done / STEPS_A_REPORT);
    this.#done += steps;
    if (Math.floor(this.#done / STEPS_A_REPORT) !== before) this.#send();
  }

  at(done: number, total: number): void {
    this.#done = done;
    this.#total = total;
    this.#send();
  }

  #send(): void {
    const progress: MaintenanceProgress = { phase: this.#phase, done: this.#done, total: this.#total };
    this.#port?.postMessage(progress);
  }
}

/** Caller's side: gives a port to `run`, and what comes through it to `onProgress`. @throws SLUICE_USAGE */
export async function withProgress<T>(
  onProgress: OnProgress | undefined,
  run: (port: MessagePort | undefined) => Promise<T>,
): Promise<T> {
  if (onProgress === undefined) return run(undefined);
  if (typeof onProgress !== 'function')
    throw new SluiceError('SLUICE_USAGE', `onProgress must be a function, not ${String(onProgress)}`);
  const { port1, port2 } = new MessageChannel();
  port1.on('message', onProgress);
  port1.unref();
  try {
    return await run(port2);
  } finally {
    port1.close();
  }
}
