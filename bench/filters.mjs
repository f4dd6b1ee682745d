/**
 * How long does a filter take that was never asked before, and what do its columns cost?
 *
 *   node bench/filters.mjs [--documents N] [--queries N] [--json]
 *
 * Documents with nine metadata fields and three chunks on average lie in a real sluice.db, without text and vectors.
 * Then the writer's side makes the file of columns, a reader opens it, and every query is another filter, so that no
 * cache answers. Times are those of the reader's thread: parsing the filter, the addon, and the copy into shared memory.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { encodeFilter } from '../dist/store/filter/node.js';
import { parseFilter } from '../dist/store/filter/parse.js';
import { FilterPublisher } from '../dist/store/filter/publish.js';
import { FilterSnapshot } from '../dist/store/filter/snapshot.js';
import { resolveOptions } from '../dist/store/options.js';
import { createDatabase, openForReading, openForWriting, writeSetting } from '../dist/store/schema.js';
import { machine, machineLine, peakRssMiB } from './lib/machine.mjs';
import { AUTHORS, DAYS, documentRows, FIRST_MS, idOf } from './lib/metadata-corpus.mjs';
import { uniform } from './lib/random.mjs';
import { percentile } from './lib/stats.mjs';
import { figure, markdownTable } from './lib/table.mjs';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '200000' },
    queries: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
});
const documents = Number(options.documents);
const queries = Number(options.queries);
if (!Number.isSafeInteger(documents) || documents < 1 || !Number.isSafeInteger(queries) || queries < 1) {
  console.error('usage: node bench/filters.mjs [--documents N] [--queries N] [--json]');
  process.exit(1);
}

const next = uniform(42);
const whole = (count) => Math.floor(next() * count);
const day = (share = next()) => new Date(FIRST_MS + share * DAYS * 86_400_000).toISOString();
/** The place of the share in the sorted prices, give or take little, so that each filter is another. */
const price = (share) => Math.round((share + next() * 0.001) * 1e7) / 100;
const names = (count) => Array.from({ length: count }, () => `author ${whole(AUTHORS)}`);

/** Makers of filters by what they show. */
const CASES = [
  ['range on numbers, 0.1%', () => ({ price: { gte: price(0.5), lt: price(0.501) } })],
  ['range on numbers, 1%', () => ({ price: { gte: price(0.5), lt: price(0.51) } })],
  ['range on numbers, 10%', () => ({ price: { gte: price(0.5), lt: price(0.6) } })],
  ['range on numbers, 50%', () => ({ price: { gte: price(0.25), lt: price(0.75) } })],
  ['range on numbers, 99%', () => ({ price: { gte: price(0.01) } })],
  ['range on dates, 50%', () => ({ created: { gte: day(0.25 + next() * 0.01), lt: day(0.75) } })],
  ['equality, 40%', () => ({ lang: 'en', price: { gte: -whole(1e9) } })],
  ['equality, one document', () => ({ $id: idOf(whole(documents)) })],
  ['in, 10 values', () => ({ 'author.name': names(10) })],
  ['in, 1,000 values', () => ({ 'author.name': names(1_000) })],
  ['in, 100,000 ids', () => ({ $id: Array.from({ length: 100_000 }, () => idOf(whole(documents))) })],
  ['nin, 10 values', () => ({ 'author.name': { nin: names(10) } })],
  ['overlaps', () => ({ tags: { overlaps: [`tag-${whole(500)}`, `tag-${whole(500)}`] } })],
  ['contains two', () => ({ tags: { contains: [`tag-${whole(20)}`, `tag-${whole(20)}`] } })],
  ['prefix, 1%', () => ({ $id: { prefix: `docs/${whole(97)}/` }, price: { gte: -whole(1e9) } })],
  ['null', () => ({ public: null, price: { gte: -whole(1e9) } })],
  ['missing', () => ({ valid_from: { exists: false }, price: { gte: -whole(1e9) } })],
  ['as_of', () => ({ as_of: day() })],
  [
    'six conditions',
    () => ({
      lang: ['en', 'de'],
      year: { gte: 2016 },
      public: true,
      not: { tags: { overlaps: [`tag-${whole(500)}`] } },
      or: [{ 'author.team': `team ${whole(40)}` }, { price: { lt: price(0.5) } }],
    }),
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'sluice-filters-'));
try {
  const file = join(folder, 'sluice.db');
  const generation = 1;
  const maxLabel = fill(file, generation);
  const db = openForWriting(file);
  const columns = join(folder, 'filters');
  const rssBefore = process.memoryUsage.rss() / 2 ** 20;
  const built = await timed(() =>
    new FilterPublisher(db, columns, resolveOptions({ filterThreshold: 1 })).publish(),
  );
  const peak = peakRssMiB();
  const reading = openForReading(file);
  const opened = [];
  for (let i = 0; i < 5; i++) {
    opened.push(await timed(() => new FilterSnapshot(reading, columns).moveTo(generation)));
  }
  const snapshot = new FilterSnapshot(reading, columns);
  await snapshot.moveTo(generation);
  if (snapshot.problem !== undefined) throw new Error(snapshot.problem);
  const rows = [];
  for (const [name, make] of CASES) rows.push(await measure(name, make, snapshot, maxLabel));
  const facets = [];
  for (const field of ['lang', 'tags', 'author.name', '$id']) {
    const times = [];
    for (let i = 0; i < 10; i++) {
      const filter = await encodeFilter(parseFilter({ price: { lt: price(0.5) } }));
      times.push(await timed(() => snapshot.facets(field, filter, 10)));
    }
    facets.push({ field, p50: percentile(times, 50), p95: percentile(times, 95) });
  }
  const summary = {
    documents,
    maxLabel,
    buildMs: built,
    openMs: percentile(opened, 50),
    fileMiB: statSync(join(columns, `${generation}.cols`)).size / 2 ** 20,
    rssBeforeBuildMiB: rssBefore,
    peakRssMiB: peak,
    filters: rows,
    facets,
  };
  console.log(options.json ? JSON.stringify({ machine: machine(), ...summary }, null, 2) : report(summary));
} finally {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}

/** Returns the last label. */
function fill(file, generation) {
  createDatabase(file, { formatVersion: 1 }, 'bench');
  const db = openForWriting(file);
  const insert = db.prepare(
    `INSERT INTO documents(id, source, title, format, metadata, content_hash, first_label, chunk_count, token_count,
       over_limit_count, born) VALUES (@id, @id, @title, 'markdown', @json, '', @firstLabel, @chunks, 0, 0, ${generation})`,
  );
  let last = 0;
  db.transaction(() => {
    for (const { metadata, ...row } of documentRows(documents)) {
      insert.run({ ...row, json: JSON.stringify(metadata) });
      last = row.firstLabel + row.chunks - 1;
    }
  })();
  writeSetting(db, 'generation', generation);
  db.close();
  return last;
}

async function measure(name, make, snapshot, maxLabel) {
  const times = [];
  let allowed = 0;
  // A list of 100,000 values costs its own parsing: fewer rounds tell as much.
  const rounds = name.includes('100,000') ? Math.ceil(queries / 10) : queries;
  for (let i = -3; i < rounds; i++) {
    const filter = make();
    const from = performance.now();
    const { count } = await snapshot.select(await encodeFilter(parseFilter(filter)), maxLabel);
    if (i < 0) continue;
    times.push(performance.now() - from);
    allowed += count / maxLabel / rounds;
  }
  return { name, allowed, p50: percentile(times, 50), p95: percentile(times, 95) };
}

async function timed(run) {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

function report({ filters, facets, ...costs }) {
  const line = (name, value, unit) => `${name}: ${figure(value)} ${unit}`;
  return [
    machineLine(machine()),
    `${figure(costs.documents)} documents, ${figure(costs.maxLabel)} chunks, ${queries} filters a row`,
    line('building and writing the file', costs.buildMs, 'ms'),
    line('opening it', costs.openMs, 'ms'),
    line('file', costs.fileMiB, 'MiB'),
    `memory: ${figure(costs.rssBeforeBuildMiB)} MiB before the build, ${figure(costs.peakRssMiB)} MiB at its peak`,
    '',
    markdownTable(
      ['filter', 'chunks allowed:', 'p50 ms:', 'p95 ms:'],
      filters.map(({ name, allowed, p50, p95 }) => [
        name,
        `${(allowed * 100).toFixed(2)}%`,
        figure(p50),
        figure(p95),
      ]),
    ),
    '',
    markdownTable(
      ['facets of, over half of the documents', 'p50 ms:', 'p95 ms:'],
      facets.map(({ field, p50, p95 }) => [field, figure(p50), figure(p95)]),
    ),
  ].join('\n');
}
