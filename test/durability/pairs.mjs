// Documents that are always replaced together, by one writer among many readers. Its argument, as JSON: store (the
// module's URL), folder, options, role, ms (how long it goes on).
//   writer   replaces all pairs in each commit, and publishes; prints {"ready": true} and at last {"commits": n}
//   reader   looks again and again; prints {"ready": true} and at last {"loops", "generations", "wrong"}
//   once     looks once, read-only; prints {"generation", "chunks", "wrong"}
//   upsert   commits the pairs once
//   hold     opens a reader, prints {"ready": true}, and keeps it
import { writeSync } from 'node:fs';
import { documentOf, passport, vectorOf } from './documents.mjs';

const PAIRS = 10;
const CHUNKS = 2;
const ALL = PAIRS * 2 * CHUNKS;
const SNAPSHOT_MS = 700;

const { store: module, folder, options, role, ms } = JSON.parse(process.argv[2]);
const { createOrOpenStore, openStore, FORMAT_VERSION } = await import(module);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

const pairs = (version) => ({
  documents: Array.from({ length: PAIRS }, (_, p) => [
    documentOf(`p${p}a`, version, CHUNKS),
    documentOf(`p${p}b`, version, CHUNKS),
  ]).flat(),
  removeDocuments: [],
  sources: [],
});

async function write() {
  const store = await createOrOpenStore(folder, { passport: passport(FORMAT_VERSION), ...options });
  const writer = await store.writer();
  let version = writer.generation;
  const end = Date.now() + ms;
  do {
    await writer.commit(pairs(++version));
    if (version % 2 === 0 || role === 'upsert') await writer.publish();
    if (version === 2) say({ ready: true });
  } while (role === 'writer' && Date.now() < end);
  await store.close();
  say({ commits: version });
}

/** What a reader shows: all of one version, by words, by vectors and by filter. */
async function look(reader, wrong) {
  const all = await reader.select(undefined);
  const [words, vectors, some] = await Promise.all([
    reader.searchKeywords('alpha', 1_000, all),
    reader.searchVectors(vectorOf('a'), 1_000, all),
    reader.select({ mark: 0 }),
  ]);
  const chunks = await reader.chunks(words.labels);
  const versions = new Set(chunks.map(({ metadata }) => metadata.key.split('x')[1]));
  const counts = [all.count, some.count, words.labels.length, vectors.labels.length, chunks.length];
  if (counts.some((count) => count !== ALL) || versions.size !== 1) {
    wrong.push({ generation: reader.generation, counts, versions: [...versions] });
  }
  return [...versions].join();
}

async function read() {
  const store = await openStore(folder, options);
  const reader = await store.reader();
  const wrong = [];
  const generations = new Set();
  let loops = 0;
  let old = await store.reader();
  let oldVersion = await look(old, wrong);
  let renewed = Date.now();
  say({ ready: true });
  const end = Date.now() + ms;
  while (Date.now() < end) {
    await reader.refresh();
    await look(reader, wrong);
    generations.add(reader.generation);
    loops++;
    // A snapshot that is not refreshed goes on showing what it showed.
    const version = await look(old, wrong);
    if (version !== oldVersion) wrong.push({ snapshot: oldVersion, shows: version });
    if (Date.now() - renewed < SNAPSHOT_MS) continue;
    await old.close();
    old = await store.reader();
    oldVersion = await look(old, wrong);
    renewed = Date.now();
  }
  await store.close();
  say({ loops, generations: generations.size, wrong });
}

async function once() {
  const store = await openStore(folder, { ...options, readonly: true });
  const reader = await store.reader();
  const wrong = [];
  await look(reader, wrong);
  const { chunks, problems } = await reader.stats();
  say({ generation: reader.generation, chunks, wrong, problems });
  await store.close();
}

async function hold() {
  const store = await openStore(folder, options);
  await store.reader();
  say({ ready: true });
  await new Promise((resolve) => setTimeout(resolve, ms));
}

await { writer: write, hold, upsert: write, reader: read, once }[role]();
