// Indexes a folder with an embedder that counts, and ends itself by SIGKILL once so many documents are committed.
// Prints {"embedded": n} (texts of documents, so far) before a call of the embedder is answered, and {"report": {...}} where it comes to its end.
// Its argument, as JSON: library (the module's URL), index, folder, killAt (documents; null: never).
import { writeSync } from 'node:fs';
import { DIMS, vectorOf } from './documents.mjs';

const { library, index: place, folder, killAt } = JSON.parse(process.argv[2]);
const { callerEmbedder, openIndex } = await import(library);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

let embedded = 0;
const embedder = callerEmbedder({
  model: 'letters',
  dims: DIMS,
  windowTokens: 256,
  embed: async (texts) => {
    // Opening an index asks for a few reference texts: those are none of its documents.
    embedded += texts.filter((text) => text.includes('Kiln')).length;
    say({ embedded });
    // As slow as a model: it is embedding that a kill is to hit.
    await new Promise((resolve) => setTimeout(resolve, texts.length / 2));
    return texts.map((text) => vectorOf(text));
  },
});

const index = await openIndex(place, { model: embedder, reranker: false });
const run = index.add(folder);
for await (const { documents } of run.progress(10)) {
  if (killAt !== null && documents >= killAt) process.kill(process.pid, 'SIGKILL');
}
const { documents, filesUnchanged, embedded: reported } = await run;
await index.close();
say({ report: { documents, filesUnchanged, embedded: reported } });
