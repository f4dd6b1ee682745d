/**
 * Prints, as JSON, the longest pieces in which each of some heavy calls held the main thread, in its own CPU time.
 * Every call is made once before it counts: the first one runs cold code.
 *
 *   node main-thread-child.mjs FOLDER UNITS
 */
import { join } from 'node:path';
import { watchSyncPieces } from '../bench/lib/sync-pieces.mjs';
import { callerEmbedder, openIndex } from '../dist/index.js';
import { addon } from '../dist/native/addon.js';

const DIMS = 32;
const RECORDS = 12_000;
const [folder, largeUnits, stacks] = process.argv.slice(2);

function words(seed, count) {
  return Array.from({ length: count }, (_, n) => `word${(seed * 31 + n * 17) % 5000}`).join(' ');
}

function* records() {
  for (let i = 0; i < RECORDS; i++)
    yield { id: `r${i}`, title: `Record ${i}`, text: `common ${words(i, 60)}`, metadata: { n: i } };
}

/** Flat, as a text is that was read from somewhere. */
function largeText(seed) {
  const paragraph = Buffer.from(`${words(seed, 120)}.\n\n`);
  return Buffer.alloc(Number(largeUnits), paragraph).toString('latin1');
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

const clock = addon().threadCpuMs() === null ? undefined : () => addon().threadCpuMs();
const longest = {};
async function measured(name, call) {
  const stop = watchSyncPieces({ keep: 4, stacks: stacks !== undefined, ...(clock && { clock }) });
  // What is called directly belongs to the piece in which the probe was started.
  await new Promise((resolve) => setImmediate(resolve));
  const value = await call();
  longest[name] = stop();
  return value;
}

const index = await openIndex(join(folder, 'index'), { model: embedder, reranker: false });
await index.add(records());
const found = {};
await index.add({ id: 'small', text: largeText(1).slice(0, 400_000) });
await index.get('small');
const text = largeText(2);
await measured('add', () => index.add({ id: 'large', text }));
found.document = (await measured('get', () => index.get('large'))).text.length;
const options = { rerank: false };
for (let round = 0; round < 2; round++) {
  const many = await measured('search', () => index.search('common word17', { ...options, k: 10_000 }));
  found.hits = many.hits.length;
  const candidates = { ...options, candidates: 2_000, explain: true };
  const traced = await measured('explain', () => index.search('common word17', candidates));
  found.traced = traced.trace.fused.length;
}
console.log(JSON.stringify({ longest, found, cpuClock: clock !== undefined }));
await index.close();
