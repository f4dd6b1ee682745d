/** The truth tables of docs/filters.md, held against the native index and its twin. UPDATE_DOCS=1 writes it anew; `npm run format` aligns it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { JsonValue, Metadata } from '../../src/model/document.js';
import { OPERATORS } from '../../src/store/filter/grammar.js';
import { FilterBench } from './filter-fixture.js';

const DOCS = fileURLToPath(new URL('../../docs/filters.md', import.meta.url));

/** What stands between two marks. */
function marks(name: string): RegExp {
  return new RegExp(`(<!-- ${name} -->)([\\s\\S]*?)(<!-- end of ${name} -->)`);
}

const MISSING = Symbol('missing');
const VALUES: (JsonValue | typeof MISSING)[] = [
  MISSING,
  null,
  [],
  {},
  '',
  'a',
  'ab',
  '5',
  5,
  0,
  true,
  false,
  '2024-05-01',
  '2024-05-01T01:00+02:00',
  [null],
  ['a', 5],
  ['b', 2],
  [[5]],
];

/** What stands in a filter after the field. */
const TESTS: string[] = [
  'null',
  "'a'",
  '5',
  'true',
  '{ eq: 0 }',
  "{ ne: 'a' }",
  "{ in: ['a', 0, false] }",
  '{ in: [] }',
  "{ nin: ['a', null] }",
  '{ nin: [] }',
  '{ gt: 2 }',
  '{ gte: 0, lt: 5 }',
  "{ lte: 'a' }",
  "{ gt: '2024' }",
  "{ gte: '2024-05-01' }",
  "{ lt: '2024-05-01' }",
  "{ prefix: 'a' }",
  "{ prefix: '' }",
  "{ overlaps: ['a', 2] }",
  "{ contains: ['a', 5] }",
  '{ contains: [] }',
  '{ exists: true }',
  '{ exists: false }',
];

/** What stands of validity in a document. */
const VALIDITIES: Metadata[] = [
  {},
  { valid_from: null },
  { valid_from: '2024-05-01' },
  { valid_from: '2024-05-01T00:00+02:00' },
  { valid_from: 1714521600000 },
  { valid_from: '' },
  { valid_from: 'soon' },
  { valid_from: true },
  { valid_from: [] },
  { valid_from: {} },
  { valid_from: [null, '2024-06-01'] },
  { valid_from: ['2024-06-01', '2024-05-01'] },
  { valid_until: null },
  { valid_until: '2024-05-01' },
  { valid_until: '2024-05-01T00:00+02:00' },
  { valid_until: 1714521600000 },
  { valid_until: 'soon' },
  { valid_until: [] },
  { valid_from: '2024-04-30', valid_until: '2024-05-01' },
  { valid_from: '2024-06-01', valid_until: '2024-05-01' },
];

const MOMENTS: string[] = [
  "{ as_of: '2024-04-30' }",
  "{ as_of: '2024-04-30T22:00Z' }",
  "{ as_of: '2024-05-01' }",
  '{ as_of: 1714521600000 }',
  "{ as_of: '2024-07-01' }",
  "{ as_of: { at: '2024-05-01', from: 'valid_until', until: 'valid_from' } }",
];

function literal(text: string): unknown {
  return JSON.parse(text.replaceAll("'", '"').replace(/(\w+):(?= )/g, '"$1":'));
}

const bench = new FilterBench(VALUES.map((v): Metadata => (v === MISSING ? {} : { v: v as JsonValue })));

/** A row a document, a column a moment: there are two fields, and most of what they may hold is no date. */
async function asOfTable(): Promise<string> {
  const documents = new FilterBench(VALIDITIES);
  const columns = await Promise.all(
    MOMENTS.map(async (moment) => {
      const filter = literal(moment) as Record<string, unknown>;
      const found = await documents.byIndex(filter);
      expect(documents.byTwin(filter), moment).toEqual(found);
      return found;
    }),
  );
  const lines = [
    ['', ...MOMENTS.map((moment) => `\`${moment}\``)],
    ['---', ...MOMENTS.map(() => ':-:')],
    ...VALIDITIES.map((metadata, i) => [
      `\`${JSON.stringify(metadata)}\``,
      ...columns.map((found) => (found.includes(i) ? '✓' : '')),
    ]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

async function truthTable(): Promise<string> {
  const headers = VALUES.map((value) => (value === MISSING ? 'missing' : `\`${JSON.stringify(value)}\``));
  const lines = [
    ['`{ v: … }`', ...headers],
    ['---', ...VALUES.map(() => ':-:')],
  ];
  for (const test of TESTS) {
    const filter = { v: literal(test) };
    const found = await bench.byIndex(filter);
    expect(bench.byTwin(filter), test).toEqual(found);
    lines.push([`\`${test}\``, ...VALUES.map((_, i) => (found.includes(i) ? '✓' : ''))]);
  }
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Cells without the spaces and dashes that the formatter adds. */
function cellsOf(table: string): string[][] {
  const lines = table.trim().split('\n');
  return lines.map((line) => line.split('|').map((cell) => cell.trim().replace(/^(:?)-+(:?)$/, '$1-$2')));
}

it.each([
  ['truth table', truthTable],
  ['as_of table', asOfTable],
])('the %s in the docs is what happens', async (name, make) => {
  const table = await make();
  if (process.env.UPDATE_DOCS) {
    const docs = readFileSync(DOCS, 'utf8');
    writeFileSync(
      DOCS,
      docs.replace(marks(name), (_all, before, _table, after) => `${before}\n\n${table}\n\n${after}`),
    );
  }
  const [, , found] = marks(name).exec(readFileSync(DOCS, 'utf8'))!;
  expect(cellsOf(found!)).toEqual(cellsOf(table));
});

it('the docs name every operator', () => {
  const docs = readFileSync(DOCS, 'utf8');
  for (const operator of [...OPERATORS, 'and', 'or', 'not', 'as_of'])
    expect(docs).toContain(`\`${operator}\``);
});
