/**
 * The worker that holds sessions and runs them (see lane.ts). Nothing here may fail at import: Piscina would report
 * that without its cause, so the runtime and the addon are loaded by the first task.
 */
import { BroadcastChannel, workerData } from 'node:worker_threads';
import { toErrorRecord } from '../errors.js';
import { moved } from '../threads/transfer.js';
import { embedRows } from './embed-rows.js';
import type { ReleaseMessage, ReplyOf, WorkerReply, WorkerSetup, WorkerTask } from './protocol.js';
import { scoreRows } from './score-rows.js';
import { SessionStore } from './session-store.js';

const { channel: channelName, waitingQueries } = workerData as WorkerSetup;
const store = new SessionStore();
const queryWaits = () => waitingQueries !== undefined && Atomics.load(waitingQueries, 0) > 0;

/** Runs one task; never rejects. Buffers of the reply are transferred. */
export default async function run(task: WorkerTask): Promise<WorkerReply<ReplyOf[WorkerTask['kind']]>> {
  try {
    return moved({ value: await answer(task) });
  } catch (error) {
    return { error: toErrorRecord(error, 'SLUICE_MODEL_FAILED') };
  }
}

async function answer(task: WorkerTask): Promise<ReplyOf[WorkerTask['kind']]> {
  const model = await store.get(task.model);
  if (task.kind === 'open') return model.shape;
  if (task.kind === 'embed') return embedRows(model, task, task.prefix, queryWaits);
  return scoreRows(model, task.query, task);
}

const channel = new BroadcastChannel(channelName);
channel.onmessage = (event) => {
  const { release } = (event as { data: ReleaseMessage }).data;
  store.release(release).catch(() => {});
};
// The channel alone must not keep the worker, and with it the process, alive.
channel.unref();
