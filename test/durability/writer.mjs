// Commits small changes until it is killed, or until its number of commits is reached. Prints JSON lines:
// {"begin": change} before a commit, {"done": generation} once it is acknowledged, {"failed": error} if it is refused,
// {"reembeds": model} and {"reembedded": model} around new vectors, {"end": true}. Its argument, as JSON: store (the
// module's URL), folder, options, seed, commits, step; arms the recorder (see recorder.c) once it comes to that step.
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { batchOf, modelOf, passport, randomness } from './documents.mjs';
import { embedAnew } from './reembedding.mjs';

const { store: module, folder, options, seed, commits, step } = JSON.parse(process.argv[2]);
const { createOrOpenStore, FORMAT_VERSION, openStore } = await import(module);
const next = randomness(seed);
const below = (limit) => Math.floor(next() * limit);

/** Acknowledged commits before anything is killed. */
const CALM_COMMITS = 2 + below(3);
const PUBLISH_EVERY = 3;
const REOPEN_EVERY = 11;
/** Steps that are parts of a publish, or all of it. */
const PUBLISHING = ['snapshot', 'columns', 'publish'];
/** Chunks that make a purge worthwhile when they die twice. */
const BULK_CHUNKS = 600;

const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
let acknowledged = 0;
let version = seed * 1_000;

const open = () =>
  existsSync(join(folder, 'sluice.db'))
    ? openStore(folder, { threads: 2, ...options })
    : createOrOpenStore(folder, { passport: passport(FORMAT_VERSION), threads: 2, ...options });
let store = await open();
let writer = await store.writer();

function tellRecorder(name) {
  try {
    closeSync(openSync(`/${name}`, 'r'));
  } catch {
    // There is no such file: the recorder hears the call.
  }
}

/** From here on the recorder's rules hold, if this is the step that it is to hit. */
function reach(name) {
  if (name === step && acknowledged >= CALM_COMMITS) tellRecorder('.disk-arm');
}

/** A step that is over as a whole: the rules hold no longer. */
function leave(name) {
  if (name === step) tellRecorder('.disk-disarm');
}

async function commit(change) {
  say({ begin: change });
  try {
    const { generation } = await writer.commit(batchOf(change, modelOf(store.passport)));
    acknowledged++;
    say({ done: generation });
  } catch ({ code, message }) {
    say({ failed: { code, message } });
  }
}

const known = new Map();
function someChange() {
  version++;
  // Every commit brings a document of its own, and rewrites or removes some of the twelve slots.
  const put = [[`own${version}`, version, 1 + below(3)]];
  const remove = [];
  const update = [];
  const slot = below(12);
  if (next() < 0.2) remove.push(`slot${slot}`);
  else put.push([`slot${slot}`, version, 1 + below(4)]);
  const [id, old] = [...known][below(known.size)] ?? [];
  if (id !== undefined && next() < 0.5) update.push([id, old, version]);
  known.set(`own${version}`, version);
  return { put, remove, update };
}

async function purge() {
  for (let i = 0; i < 3; i++) {
    version++;
    await commit({ put: [['bulk', version, BULK_CHUNKS]], remove: [], update: [] });
    await writer.publish();
  }
  reach('purge');
  await writer.publish();
}

async function compact() {
  reach('compaction');
  await writer.compact();
  leave('compaction');
}

async function reopen() {
  await store.close();
  store = await open();
  writer = await store.writer();
}

/** Every vector made anew by the next model. */
async function reembed() {
  const model = modelOf(store.passport) + 1;
  say({ reembeds: model });
  reach('reembedding');
  await embedAnew(writer, passport(FORMAT_VERSION, model));
  say({ reembedded: model });
  leave('reembedding');
  await reopen();
}

for (let n = 1; n <= commits; n++) {
  for (const name of ['sqlite-commit', 'keyword-commit', 'merge']) reach(name);
  await commit(someChange());
  if (n % PUBLISH_EVERY === 0) {
    for (const name of PUBLISHING) reach(name);
    await writer.publish();
    for (const name of PUBLISHING) leave(name);
  }
  if (step === 'purge' && n % 5 === 0) await purge();
  if (step === 'compaction' && n % 5 === 0) await compact();
  if (step === 'reembedding' && n % 5 === 0) await reembed();
  if (n % REOPEN_EVERY === 0) {
    reach('close');
    await reopen();
  }
}
await store.close();
say({ end: true });
