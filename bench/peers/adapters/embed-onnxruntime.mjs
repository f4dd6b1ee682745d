/**
 * What one writes without Sluice: a session in each of N worker threads, one intra-op thread each, one text a run, the
 * next text taken by whoever is free, mean pooling. Token ids are made beforehand, outside the timer.
 */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { packTexts } from '../../../dist/model/text-column.js';
import { addon } from '../../../dist/native/addon.js';
import { modelFolder } from '../model-folder.mjs';
import { requirePeer } from '../peer-modules.mjs';

export async function open(corpus, { model, threads, dims }) {
  // First on this thread: concurrent first loads of an addon in workers have crashed processes.
  requirePeer('onnxruntime-node');
  const folder = modelFolder(model);
  const tokenizer = addon().ModelTokenizer.fromFile(path.join(folder, 'tokenizer.json'));
  const column = packTexts(corpus.texts);
  const { ids, rowOffsets } = tokenizer.encodeRows(column.bytes, column.offsets, true);
  const shared = {
    modelFile: path.join(folder, 'model.onnx'),
    dims,
    ids: sharedCopy(ids),
    rowOffsets: sharedCopy(rowOffsets),
    vectors: new Float32Array(new SharedArrayBuffer(corpus.texts.length * dims * 4)),
    next: new Int32Array(new SharedArrayBuffer(4)),
  };
  const workers = await Promise.all(Array.from({ length: threads }, () => startWorker(shared)));
  return {
    async run() {
      await Promise.all(workers.map((worker) => ask(worker, 'run')));
      return { units: corpus.texts.length };
    },
    async quality() {
      await corpus.keepVectors('onnxruntime-node', shared.vectors.slice());
      return { texts: corpus.texts.length };
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function sharedCopy(array) {
  const copy = new Uint32Array(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}

/** Resolves when the worker has loaded its session and run it once. */
async function startWorker(workerData) {
  const worker = new Worker(new URL('./embed-onnxruntime-worker.mjs', import.meta.url), { workerData });
  await ask(worker, 'warm up');
  return worker;
}

function ask(worker, message) {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage(message);
  });
}
