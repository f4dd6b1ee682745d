// Re-embeds an index, slowly, and says on stdout how far it is: until it is killed.
// Arguments: the folder, the model that the index has, the model that it is to get.
import { writeSync } from 'node:fs';
import { callerEmbedder, openIndex } from '../dist/index.js';
import { MODELS, toyVector } from './toy-vectors.mjs';

const [folder, from, to] = process.argv.slice(2);
function model(name, pauseMs) {
  return callerEmbedder({
    model: name,
    dims: MODELS[name],
    windowTokens: 256,
    batchSize: 32,
    embed: async (texts) => {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      return texts.map((text) => toyVector(name, text, MODELS[name]));
    },
  });
}

const index = await openIndex(folder, { reranker: false, threads: 1, model: model(from, 0) });
writeSync(1, 'ready\n');
const run = index.reembed({ model: model(to, 4) });
for await (const { chunks, done } of run.progress(3)) if (chunks > 0) writeSync(1, `left ${chunks - done}\n`);
const report = await run;
writeSync(1, `done ${report.embedded}\n`);
await index.close();
