/**
 * Worker thread for one portion: what killed a thread of the pool is found out here, where nothing else can be hurt. It
 * ends when nothing is left to do, so an error in a timer that the portion left behind is still seen.
 */

import { parentPort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { transferList } from '../threads/transfer.js';

/** The function of a worker's module that is called, and with what. */
export interface LoneCall {
  readonly module: string;
  readonly name: string;
  readonly argument: unknown;
}

parentPort?.once('message', async ({ module, name, argument }: LoneCall) => {
  const handlers = (await import(module)) as Record<string, (argument: unknown) => Promise<unknown>>;
  const result = await handlers[name]!(argument);
  const value = (result as Record<symbol, unknown>)[Piscina.valueSymbol] ?? result;
  parentPort!.postMessage(value, transferList(value));
});
