/** The truth table of docs/filters.md, held against the native index and its twin. UPDATE_DOCS=1 writes it anew; `npm run format` aligns it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { JsonValue, Metadata } from '../../src/model/document.js';
import { OPERATORS } from '../../src/store/filter/grammar.js';
import { FilterBench } from './filter-fixture.js';

const DOCS = fileURLToPath(new URL('../../docs/filters.md', import.meta.url));
const MARKS = /(<!-- truth table -->)([\s\S]*?)(<!-- end of truth table -->)/;

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

function literal(text: string): unknown {
  return JSON.parse(text.replaceAll("'", '"').replace(/(\w+):(?= )/g, '"$1":'));
}

const bench = new FilterBench(VALUES.map((v): Metadata => (v === MISSING ? {} : { v: v as JsonValue })));

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

it('the truth table in the docs is what happens', async () => {
  const table = await truthTable();
  if (process.env.UPDATE_DOCS) {
    const docs = readFileSync(DOCS, 'utf8');
    writeFileSync(
      DOCS,
      docs.replace(MARKS, (_all, before, _table, after) => `${before}\n\n${table}\n\n${after}`),
    );
  }
  const [, , found] = MARKS.exec(readFileSync(DOCS, 'utf8'))!;
  expect(cellsOf(found!)).toEqual(cellsOf(table));
});

it('the docs name every operator', () => {
  const docs = readFileSync(DOCS, 'utf8');
  for (const operator of [...OPERATORS, 'and', 'or', 'not', 'as_of'])
    expect(docs).toContain(`\`${operator}\``);
});
