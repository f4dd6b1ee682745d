/**
 * Indexes many records with an embedder that costs nothing and prints, as JSON: resident memory after each fifth of
 * the records, and the longest pieces that held the main thread, in its own CPU time.
 *
 *   node long-run-child.mjs FOLDER RECORDS
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { watchSyncPieces } from '../../bench/lib/sync-pieces.mjs';
import { callerEmbedder, openIndex } from '../../dist/index.js';
import { addon } from '../../dist/native/addon.js';

const DIMS = 384;
const [folder, count] = process.argv.slice(2);
const records = Number(count);

const file = createWriteStream(join(folder, 'records.jsonl'));
for (let i = 0; i < records; i++) {
  const text = Array.from({ length: 40 }, (_, n) => `word${(i * 31 + n * 17) % 5000}`).join(' ');
  if (!file.write(`${JSON.stringify({ id: `r${i}`, title: `Record ${i}`, text, metadata: { n: i } })}\n`)) {
    await new Promise((resolve) => file.once('drain', resolve));
  }
}
await new Promise((resolve) => file.end(resolve));

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

const index = await openIndex(join(folder, 'index'), { model: embedder, reranker: false });
const clock = addon().threadCpuMs() === null ? undefined : () => addon().threadCpuMs();
const stop = watchSyncPieces({ keep: 8, ...(clock && { clock }) });
const run = index.add(join(folder, 'records.jsonl'));
const rssMiB = [];
for await (const { documents } of run.progress(50)) {
  while (documents >= ((rssMiB.length + 1) * records) / 5) rssMiB.push(process.memoryUsage().rss / 2 ** 20);
}
const report = await run;
const pieces = stop();
console.log(JSON.stringify({ documents: report.documents, rssMiB, pieces, cpuClock: clock !== undefined }));
await index.close();
