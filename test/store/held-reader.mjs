// Reads an index for long, in one of the ways that there are, and says so line by line.
//
//     node held-reader.mjs <dist/> <index> <held|searcher|settle|verify|export|backup> [<place for what it makes>]
//
// held: a read transaction like those of verify, export and backup, which ends with the standard input.
// settle: ends WAL mode whenever it can, until its standard input ends.

import { createInterface } from 'node:readline';

const [dist, folder, what, place] = process.argv.slice(2);
const store = await import(new URL('store/index.js', dist));
const mode = await import(new URL('store/journal-mode.js', dist));
const say = (line) => process.stdout.write(`${line}\n`);
let ended = false;
const end = (async () => {
  for await (const _ of createInterface({ input: process.stdin }));
  ended = true;
})();
// By the phase in which rows are read.
const onProgress = ({ phase, done }) => {
  if (['bodies', 'documents', 'database'].includes(phase) && done > 0) say('reading');
};

if (what === 'held') {
  const count = await mode.readingLong(`${folder}/sluice.db`, async () => {
    const db = mode.openAtCommit(`${folder}/sluice.db`);
    const documents = () => db.prepare('SELECT count(*) FROM documents').pluck().get();
    const before = documents();
    say('reading');
    await end;
    const same = documents() === before;
    db.close();
    return same;
  });
  say(count ? 'done' : 'the snapshot changed');
} else if (what === 'settle') {
  say('reading');
  let settled = 0;
  while (!ended) {
    mode.settleDatabase(`${folder}/sluice.db`);
    settled++;
    if (settled % 10 === 0) await new Promise(setImmediate);
  }
  say('done');
} else if (what === 'verify') {
  const { findings } = await store.verifyIndex(folder, { onProgress });
  say(findings.length === 0 ? 'done' : JSON.stringify(findings));
  process.exit();
} else {
  if (what === 'export') await store.exportIndex(folder, `${place}/all.jsonl`, { onProgress });
  else await store.backupIndex(folder, `${place}/copy`, { onProgress });
  say('done');
  process.exit();
}
