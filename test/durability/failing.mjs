// Fills an index, lets the recorder's rules hold (see recorder.c), goes on writing, lifts them, and goes on again.
// Prints what writer.mjs prints, and {"trouble": {code, message}} for each call that was refused, {"seen": [generation,
// chunks, keyword hits, chunks by filter]} for what a reader finds meanwhile, {"bytes": n} for what the folder takes in the end.
// Its argument, as JSON: store (the module's URL), folder, options, rounds (of writing under the rules).
import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { batchOf, passport } from './documents.mjs';

const { store: module, folder, options, rounds } = JSON.parse(process.argv[2]);
const { createOrOpenStore, FORMAT_VERSION } = await import(module);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

function tellRecorder(name) {
  try {
    closeSync(openSync(`/${name}`, 'r'));
  } catch {
    // There is no such file: the recorder hears the call.
  }
}

const store = await createOrOpenStore(folder, { passport: passport(FORMAT_VERSION), threads: 2, ...options });
const writer = await store.writer();
const reader = await store.reader();

let version = 0;
async function attempt(call) {
  try {
    return await call();
  } catch ({ code, message }) {
    say({ trouble: { code, message } });
    return undefined;
  }
}

async function commit() {
  version++;
  const change = { put: [0, 1, 2].map((i) => [`d${version % 8}n${i}`, version, 4]), remove: [], update: [] };
  say({ begin: change });
  const done = await attempt(() => writer.commit(batchOf(change)));
  say(done ? { done: done.generation } : { failed: {} });
}

async function look() {
  await attempt(() => reader.refresh());
  const seen = await attempt(async () => {
    const all = await reader.select(undefined);
    const { labels } = await reader.searchKeywords('alpha', 1_000_000, all);
    const unmarked = await reader.select({ mark: 0 });
    return [reader.generation, all.count, labels.length, unmarked.count];
  });
  if (seen) say({ seen });
}

for (let i = 0; i < 8; i++) await commit();
await writer.publish();
await look();
tellRecorder('.disk-arm');
for (let i = 0; i < rounds; i++) {
  await commit();
  await attempt(() => writer.publish());
  await look();
}
tellRecorder('.disk-disarm');
say({ lifted: true });
for (let i = 0; i < 3; i++) await commit();
await attempt(() => writer.publish());
await look();
await store.close();
const bytesOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
    : statSync(path).size;
say({ bytes: bytesOf(folder) });
say({ end: true });
