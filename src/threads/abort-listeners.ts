import { SluiceError } from '../errors.js';

/** Who waits for which signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal fires, once. Many jobs share one signal in bulk work; the signal itself gets one
 * listener, as Node warns on stderr from the eleventh on.
 * @returns a function that takes the listener away
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  let listeners = waiting.get(signal);
  if (!listeners) {
    listeners = new Set();
    waiting.set(signal, listeners);
    signal.addEventListener('abort', () => fire(signal), { once: true });
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function fire(signal: AbortSignal): void {
  const listeners = waiting.get(signal) ?? [];
  waiting.delete(signal);
  for (const listener of listeners) listener();
}

/**
 * What the work comes to, but no longer than until the signal fires: for work of others that may never end.
 * @throws SLUICE_ABORTED, and what the work throws
 */
export async function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  let forget = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const stop = () =>
      reject(new SluiceError('SLUICE_ABORTED', 'the operation was aborted', { cause: signal?.reason }));
    if (signal?.aborted) stop();
    else forget = onAbort(signal, stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    forget();
  }
}
