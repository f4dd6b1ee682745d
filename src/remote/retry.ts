import { setTimeout as sleep } from 'node:timers/promises';
import { SluiceError, throwIfAborted } from '../errors.js';

/** A failure that another attempt may cure. */
export class TransientFailure extends Error {
  constructor(
    message: string,
    /** What the other side asked us to wait, in milliseconds. */
    readonly waitMs: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'TransientFailure';
  }
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/**
 * Tries again after a TransientFailure: after what the other side asked for, else after twice as long each time, from
 * a quarter of a second on, with up to a quarter of it at random so that many clients don't come back together.
 * @param retries attempts after the first
 * @throws SLUICE_MODEL_FAILED with the last failure as its cause; SLUICE_ABORTED
 */
export async function withRetries<T>(
  retries: number,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tried = 0; ; tried++) {
    throwIfAborted(signal);
    try {
      return await attempt();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof TransientFailure)) throw error;
      if (tried >= retries) {
        const times = tried === 0 ? 'once' : `${tried + 1} times`;
        throw new SluiceError('SLUICE_MODEL_FAILED', `${error.message} (tried ${times})`, { cause: error });
      }
      const wait = error.waitMs ?? FIRST_WAIT_MS * 2 ** tried * (1 + Math.random() / 4);
      // An abort ends the sleep; the loop then reports it.
      await sleep(Math.min(wait, LONGEST_WAIT_MS), undefined, { signal }).catch(() => {});
    }
  }
}
