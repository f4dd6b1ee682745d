// Opens a reader, searches its graph once, prints {"ready": true}, and waits to be killed; or, as a writer, fills the
// index. Its argument, as JSON: store (the module's URL), folder, options, role ('fill' or 'read'), documents, chunks.
import { writeSync } from 'node:fs';
import { documentOf, passport, vectorOf } from './documents.mjs';

const { store: module, folder, options, role, documents, chunks } = JSON.parse(process.argv[2]);
const { createOrOpenStore, FORMAT_VERSION, openStore } = await import(module);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

async function fill() {
  const store = await createOrOpenStore(folder, { passport: passport(FORMAT_VERSION), ...options });
  const writer = await store.writer();
  for (let i = 0; i < documents; i += 8) {
    const batch = Array.from({ length: 8 }, (_, n) => documentOf(`d${i + n}`, 1, chunks));
    await writer.commit({ documents: batch, removeDocuments: [], sources: [] });
  }
  await writer.publish();
  await store.close();
}

async function read() {
  const store = await openStore(folder, options);
  const reader = await store.reader();
  const { labels } = await reader.searchVectors(vectorOf('a'), 10, await reader.select(undefined), 1_000);
  const { graphVectors } = await reader.stats();
  say({ ready: true, found: labels.length, graphVectors });
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}

await { fill, read }[role]();
