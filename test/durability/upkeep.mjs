// Fills an index, then does one piece of upkeep under the recorder's rules (see recorder.c), and the same again without
// them. Prints what writer.mjs prints; {"trouble": {code, message}} where the first attempt was refused, or {"made":
// [findings, chunks]} of the index that it made, and {"held": chunks} of the one that it was made of; {"left": names} for
// what lies beside the index after it; {"again": true} once the second one is done.
// Its argument, as JSON: store (the module's URL), folder, options, what.
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { batchOf, modelOf, passport } from './documents.mjs';
import { embedAnew } from './reembedding.mjs';

const { store: module, folder, options, what } = JSON.parse(process.argv[2]);
const { backupIndex, createOrOpenStore, exportIndex, FORMAT_VERSION, importIndex, openStore, verifyIndex } =
  await import(module);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const beside = (name) => join(dirname(folder), name);
const build = { graphThreshold: options.graphThreshold };

function tellRecorder(name) {
  try {
    closeSync(openSync(`/${name}`, 'r'));
  } catch {
    // There is no such file: the recorder hears the call.
  }
}

async function withWriter(use) {
  const store = await openStore(folder, { threads: 2, ...options });
  try {
    return await use(await store.writer(), store);
  } finally {
    await store.close();
  }
}

const UPKEEP = {
  compaction: () => withWriter((writer) => writer.compact()),
  reembedding: () =>
    withWriter(async (writer, store) => {
      const model = modelOf(store.passport) + 1;
      say({ reembeds: model });
      await embedAnew(writer, passport(FORMAT_VERSION, model));
      say({ reembedded: model });
    }),
  backup: () => backupIndex(folder, beside('made'), build),
  export: () => exportIndex(folder, beside('made.jsonl')),
  'export to Parquet': () => exportIndex(folder, beside('made.parquet')),
  import: () => importIndex(beside('given.jsonl'), beside('made'), build),
};

/** The index that a piece of upkeep has made, or changed; an export is read for it. */
async function indexMade() {
  if (!what.startsWith('export')) return what === 'backup' || what === 'import' ? beside('made') : folder;
  const [file] = readdirSync(dirname(folder)).filter((name) => name.startsWith('made.'));
  await importIndex(beside(file), beside('made'), build);
  return beside('made');
}

async function chunksOf(index) {
  const store = await openStore(index, { threads: 1 });
  const { chunks } = await (await store.reader()).stats();
  await store.close();
  return chunks;
}

const store = await createOrOpenStore(folder, { passport: passport(FORMAT_VERSION), threads: 2, ...options });
const writer = await store.writer();
// A third of it is dead in the end: a compaction has something to erase.
for (let version = 1; version <= 12; version++) {
  const put = [0, 1, 2].map((i) => [`d${version % 8}n${i}`, version, 6]);
  const change = { put, remove: [], update: [] };
  say({ begin: change });
  say({ done: (await writer.commit(batchOf(change))).generation });
}
await writer.publish();
await store.close();
await exportIndex(folder, beside('given.jsonl'));

tellRecorder('.disk-arm');
let isWhole = false;
try {
  await UPKEEP[what]();
  isWhole = true;
} catch ({ code, message }) {
  say({ trouble: { code, message } });
}
tellRecorder('.disk-disarm');
say({ left: readdirSync(dirname(folder)) });
if (isWhole) {
  const made = await indexMade();
  say({ made: [(await verifyIndex(made)).findings, await chunksOf(made)], held: await chunksOf(folder) });
}
for (const name of readdirSync(dirname(folder))) {
  if (name.startsWith('made')) rmSync(beside(name), { recursive: true });
}
await UPKEEP[what]();
say({ again: true });
say({ end: true });
