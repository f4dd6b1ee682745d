import { parentPort, workerData } from 'node:worker_threads';
import { requirePeer } from '../peer-modules.mjs';

const { modelFile, dims, ids, rowOffsets, vectors, next } = workerData;
const { InferenceSession, Tensor } = requirePeer('onnxruntime-node');
const session = await InferenceSession.create(modelFile, { intraOpNumThreads: 1, interOpNumThreads: 1 });

async function embedRow(row) {
  const rowIds = ids.subarray(rowOffsets[row], rowOffsets[row + 1]);
  const shape = [1, rowIds.length];
  const tensors = {
    input_ids: BigInt64Array.from(rowIds, BigInt),
    attention_mask: new BigInt64Array(rowIds.length).fill(1n),
    token_type_ids: new BigInt64Array(rowIds.length),
  };
  const feeds = {};
  for (const name of session.inputNames) feeds[name] = new Tensor('int64', tensors[name], shape);
  const outputs = await session.run(feeds);
  return meanPooled(outputs[session.outputNames[0]].data);
}

/** Mean over the tokens, brought to length 1. */
function meanPooled(states) {
  const sum = new Float64Array(dims);
  for (let i = 0; i < states.length; i++) sum[i % dims] += states[i];
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return Float32Array.from(sum, (value) => value / length);
}

parentPort.on('message', async (message) => {
  if (message === 'warm up') await embedRow(0);
  else {
    for (let row = Atomics.add(next, 0, 1); row < rowOffsets.length - 1; row = Atomics.add(next, 0, 1)) {
      vectors.set(await embedRow(row), row * dims);
    }
  }
  parentPort.postMessage('done');
});
