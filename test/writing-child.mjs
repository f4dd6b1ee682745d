// Makes an index, then adds a document for each line on stdin, and says so on stdout once the call has returned.
// Argument: the folder of the index.
import { createInterface } from 'node:readline';
import { callerEmbedder, openIndex } from '../dist/index.js';

const model = callerEmbedder({
  model: 'toy',
  dims: 16,
  windowTokens: 256,
  embed: (texts) => texts.map((text) => Array.from({ length: 16 }, (_, i) => Math.sin(text.length + i))),
});
const index = await openIndex(process.argv[2], { reranker: false, threads: 1, model });
process.stdout.write('ready\n');
let n = 0;
for await (const _ of createInterface({ input: process.stdin })) {
  await index.add({ id: `theirs ${n++}`, text: 'alpha' });
  process.stdout.write(`${n}\n`);
}
await index.close();
