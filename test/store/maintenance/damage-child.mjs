// Damages copies of an index at random and says what opening and asking them gave, a line of JSON a round. A process of
// its own, because the worst outcome would be its end.
//
//     node damage-child.mjs <dist/> <sound index> <work folder> <keywords|reader|database> <seed> <rounds>

import {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const [dist, sound, work, kind, seed, rounds] = process.argv.slice(2);
const { openStore, verifyIndex } = await import(new URL('store/index.js', dist));
const { addon } = await import(new URL('native/addon.js', dist));
const { heldBy } = await import(new URL('store/keyword-payload.js', dist));

const OPTIONS = { graphThreshold: 20, threads: 1 };
const QUERIES = ['alpha', 'number7', 'Title', '不同', 'number3', 'part1'];

let state = Number(seed);
function random(limit) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}

function damage(file) {
  const bytes = readFileSync(file);
  const kinds =
    kind === 'database'
      ? ['flip', 'flips', 'zero', 'cut']
      : ['flip', 'flip', 'flips', 'zero', 'cut', 'gone', 'longer', 'garbage'];
  const how = kinds[random(kinds.length)];
  const at = random(Math.max(1, bytes.length));
  if (how === 'flip' || how === 'flips') {
    for (let n = how === 'flip' ? 1 : 8; n > 0; n--) bytes[random(bytes.length)] ^= 1 << random(8);
  } else if (how === 'zero') bytes.fill(0, at, Math.min(bytes.length, at + 1 + random(64)));
  else if (how === 'garbage')
    for (let i = at; i < Math.min(bytes.length, at + 64); i++) bytes[i] = random(256);
  if (how === 'gone') rmSync(file);
  else if (how === 'cut') truncateSync(file, at);
  else writeFileSync(file, how === 'longer' ? Buffer.concat([bytes, bytes.subarray(0, 9)]) : bytes);
  return how;
}

async function answers(folder, options) {
  const store = await openStore(folder, { ...OPTIONS, ...options });
  try {
    const reader = await store.reader();
    const all = await reader.select(undefined);
    const found = [await reader.stats().then(({ documents, chunks }) => [documents, chunks])];
    for (const query of QUERIES) {
      const { labels } = await reader.searchKeywords(query, 50, all);
      found.push(
        (await reader.chunks(labels))
          .map(({ label, text, documentId, title, metadata }) => [label, text, documentId, title, metadata])
          .sort((a, b) => a[0] - b[0]),
      );
    }
    found.push((await reader.select({ n: { gte: 20 } })).count);
    return JSON.stringify(found);
  } finally {
    await store.close();
  }
}

/** tantivy alone, without threads around it: hundreds of rounds a second. */
async function readerAnswers(folder) {
  const reader = addon().KeywordReader.open(join(folder, 'keywords'));
  try {
    heldBy(reader, '');
    const found = [];
    for (const query of QUERIES) {
      const { labels, scores } = await reader.search(query, 50, null);
      found.push(
        [...labels],
        [...scores].map((score) => score.toFixed(4)),
      );
    }
    return JSON.stringify(found);
  } finally {
    await reader.close();
  }
}

/** All that checksums and rules cover; what is left out only makes a file be read, or a text be embedded, once more. */
function content(folder) {
  const db = new Database(join(folder, 'sluice.db'), { readonly: true });
  try {
    const tables = ['bodies', 'documents', 'document_pages', 'vectors', 'keyword_texts'];
    const rows = tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw().all());
    const chunks = db.prepare('SELECT * FROM chunks ORDER BY label').all();
    return JSON.stringify([...rows, chunks.map(({ embedding_hash: _hash, ...chunk }) => chunk)]);
  } finally {
    db.close();
  }
}

async function outcome(run) {
  try {
    return { answer: await run() };
  } catch (error) {
    return { code: error.code ?? 'none', message: error.message };
  }
}

const ask = { keywords: [{ readonly: true }, {}], database: [{ readonly: true }], reader: [] }[kind];
const expected = kind === 'reader' ? await readerAnswers(sound) : await answers(sound, {});
const stored = kind === 'database' ? content(sound) : undefined;
const folder = join(work, `${kind}-${seed}`);
cpSync(sound, folder, { recursive: true });

/** A writer changes all of the index; readers nothing but what SQLite keeps beside its file. */
function restore(name) {
  if (kind !== 'keywords') {
    for (const beside of ['sluice.db-wal', 'sluice.db-shm']) rmSync(join(folder, beside), { force: true });
    copyFileSync(join(sound, name), join(folder, name));
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  cpSync(sound, folder, { recursive: true });
}

for (let round = 0; round < Number(rounds); round++) {
  const names =
    kind === 'database'
      ? ['sluice.db']
      : readdirSync(join(folder, 'keywords'))
          .filter((name) => !name.endsWith('.lock'))
          .map((name) => join('keywords', name));
  const name = names[random(names.length)];
  const how = damage(join(folder, name));
  const outcomes = [];
  if (kind === 'reader') outcomes.push(await outcome(() => readerAnswers(folder)));
  for (const options of ask) outcomes.push(await outcome(() => answers(folder, options)));
  const right = outcomes.map(({ answer }) => answer === expected);
  const findings =
    kind === 'database' ? await outcome(async () => (await verifyIndex(folder)).findings.length) : undefined;
  const same = kind === 'database' ? (await outcome(() => content(folder))).answer === stored : undefined;
  const codes = outcomes.map(({ code, message }) => code && `${code}: ${message}`);
  process.stdout.write(`${JSON.stringify({ round, name, how, right, codes, findings, same })}\n`);
  restore(name);
}
process.stdout.write('end\n');
