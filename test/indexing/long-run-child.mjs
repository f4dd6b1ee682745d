/**
 * Indexes many records with an embedder that costs nothing and prints, as JSON: memory at each hundredth of the records,
 * and the longest pieces that held the main thread, in its own CPU time. With --expose-gc this thread's garbage is
 * collected before each measure of memory, which is one of the pieces then.
 *
 *   node [--expose-gc] long-run-child.mjs FOLDER RECORDS WORDS
 */
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchSyncPieces } from '../../bench/lib/sync-pieces.mjs';
import { callerEmbedder, openIndex } from '../../dist/index.js';
import { addon } from '../../dist/native/addon.js';

const DIMS = 384;
const SAMPLES = 100;
const [folder, count, words] = process.argv.slice(2);
const records = Number(count);

const file = createWriteStream(join(folder, 'records.jsonl'));
for (let i = 0; i < records; i++) {
  const text = Array.from({ length: Number(words) }, (_, n) => `word${(i * 31 + n * 17) % 5000}`).join(' ');
  if (!file.write(`${JSON.stringify({ id: `r${i}`, title: `Record ${i}`, text, metadata: { n: i } })}\n`)) {
    await new Promise((resolve) => file.once('drain', resolve));
  }
}
await new Promise((resolve) => file.end(resolve));

/** Pages of mapped files are the system's to take back: what a process holds itself is the anonymous part. Linux only. */
function heldMiB() {
  if (process.platform !== 'linux') return null;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)[1]) / 1024;
}

const vectors = Array.from({ length: 97 }, (_, i) =>
  Float32Array.from({ length: DIMS }, (_, d) => Math.sin(i + d)),
);
let next = 0;
const embedder = callerEmbedder({
  model: 'sines',
  dims: DIMS,
  windowTokens: 256,
  embed: (texts) => texts.map(() => vectors[next++ % vectors.length]),
});

// A graph takes memory by the vector, and may: here there is none.
const index = await openIndex(join(folder, 'index'), {
  model: embedder,
  reranker: false,
  graphThreshold: 1e9,
});
const clock = addon().threadCpuMs() === null ? undefined : () => addon().threadCpuMs();
const stop = watchSyncPieces({ keep: 8, ...(clock && { clock }) });
const run = index.add(join(folder, 'records.jsonl'));
/** [documents, MiB of the process or null, MiB of this thread's heap] */
const memory = [];
for await (const { documents } of run.progress(50)) {
  if (documents < ((memory.length + 1) * records) / SAMPLES) continue;
  globalThis.gc?.();
  memory.push([documents, heldMiB(), process.memoryUsage().heapUsed / 2 ** 20]);
}
const report = await run;
const pieces = stop();
const { documents, chunks } = report;
console.log(JSON.stringify({ documents, chunks, memory, pieces, cpuClock: clock !== undefined }));
await index.close();
