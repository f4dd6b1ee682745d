import { describe, expect, it } from 'vitest';
import { readCsv } from '../../src/documents/csv.js';
import { CSV } from './samples.js';
import { blockTexts, expectSound, rawLineOf, uncovered } from './structure.js';

describe('readCsv', () => {
  it('makes a table, and prose of what stands above it', () => {
    const page = readCsv(CSV);
    expectSound(page);
    expect(uncovered(page).trim()).toBe('');
    expect(blockTexts(page)).toEqual([
      ['prose', 'Ports of the north'],
      [
        'table',
        '| name | depth | note |\n| --- | --- | --- |\n| Bergen | 12 | deep, safe |\n' +
          '| Oslo | 9 | two lines\\|bar |\n| Tromsø | 11 | say "hi" |',
      ],
    ]);
    expect(page.dropped).toBeUndefined();
    expect(['Ports', 'depth', 'Bergen', 'Oslo', 'Tromsø'].map((word) => rawLineOf(page, word))).toEqual([
      1, 3, 4, 5, 8,
    ]);
  });

  it.each([
    ['one line', 'word '.repeat(30_000).trim()],
    ['many lines', 'some words\n'.repeat(20_000).trim()],
  ])('names the columns above a first record of more than the sample: %s', (_, cell) => {
    const page = readCsv(`id,body,place\n1,"${cell}",Bergen\n2,short,Oslo\n`);
    expectSound(page);
    expect(page.text).toMatch(
      /^\| id \| body \| place \|\n\nid: 1\nbody: [^"]*\nplace: Bergen\n\nid: 2\nbody: short\n/,
    );
    expect(page.dropped).toBeUndefined();
  });

  it('names the columns in a head of more than the sample', () => {
    const names = Array.from({ length: 9000 }, (_, i) => `measure ${i}`);
    const page = readCsv(`${names.join(',')}\n${names.map((_, i) => i).join(',')}\n`);
    expect(page.text).toContain('measure 8999: 8999');
  });

  it.each([
    ['a\tb\n1\t2', '| a | b |\n| --- | --- |\n| 1 | 2 |\n'],
    ['a|b\n1|2', '| a | b |\n| --- | --- |\n| 1 | 2 |\n'],
    ['sep=;\na;b\n1,5;2', '| a | b |\n| --- | --- |\n| 1,5 | 2 |\n'],
    ['name;text\nx;a, b, c\ny;d, e', '| name | text |\n| --- | --- |\n| x | a, b, c |\n| y | d, e |\n'],
    ['1,2\n3,4', '| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n'],
    ['ann,1999\nbob,2001', '| A | B |\n| --- | --- |\n| ann | 1999 |\n| bob | 2001 |\n'],
    ['land,2019,2020\nx,5,6', '| land | 2019 | 2020 |\n| --- | --- | --- |\n| x | 5 | 6 |\n'],
    ['a,b\n1\n1,2,3', '| a | b |\n| --- | --- |\n| 1 |\n| 1 | 2 | 3 |\n'],
    ['a,,c\n1,2,3', '| a | B | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n'],
    ['one column\nof words', 'one column\nof words'],
    ['', ''],
  ])('reads %j', (source, text) => {
    const page = readCsv(source);
    expectSound(page);
    expect(page.text).toBe(text);
  });

  it('writes long rows out as records that name each column', () => {
    const words = 'word '.repeat(80).trim();
    const page = readCsv(`id,note,more\n1,"${words}\nsecond line",\n2,${words},end`);
    expectSound(page);
    expect(blockTexts(page)).toEqual([
      ['prose', '| id | note | more |'],
      ['prose', `id: 1\nnote: ${words}\nsecond line`],
      ['prose', `id: 2\nnote: ${words}\nmore: end`],
    ]);
    expect(['id: 1', 'second line', 'id: 2', 'more: end'].map((word) => rawLineOf(page, word))).toEqual([
      2, 3, 4, 4,
    ]);
  });

  it('keeps what follows a quote that is never closed, and says so', () => {
    const page = readCsv('a,b\n1,2\n3,"four\n5,6\n');
    expectSound(page);
    expect(blockTexts(page)).toEqual([
      ['table', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
      ['prose', '3,four\n5,6'],
    ]);
    expect(page.dropped).toEqual([{ reason: 'quote that is never closed', chars: 1, isText: false }]);
    expect(rawLineOf(page, '5,6')).toBe(4);
  });

  it('makes no more than a few times its size of a wide head over short rows', () => {
    const name = 'a long name '.repeat(20);
    const long = `${name},${name}2\n${`${'x'.repeat(700)},1\n`.repeat(100)}${'1,2\n'.repeat(20_000)}`;
    expect(readCsv(long).text.length).toBeLessThan(long.length * 6);
    expect(readCsv(long).text).toContain('| 1 | 2 |');
    const source = `${Array.from({ length: 3000 }, (_, i) => `c${i}`).join(',')}\n${'x,\n'.repeat(3000)}`;
    expect(readCsv(source).text.length).toBeLessThan(source.length * 4);
  });

  it('takes a row of a hundred thousand cells', () => {
    const page = readCsv(`${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(',')}\n`.repeat(2));
    expectSound(page);
    expect(page.text).toContain('c99999');
  });
});
