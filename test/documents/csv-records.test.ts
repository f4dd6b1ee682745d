import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvScanner } from '../../src/documents/csv-records.js';
import { cpuMsOf } from '../cpu-time.js';

function rowsOf(text: string, delimiter = ','): { rows: string[][]; lines: number[][]; scanner: CsvScanner } {
  const scanner = new CsvScanner(text, delimiter);
  const rows: string[][] = [];
  const lines: number[][] = [];
  while (scanner.next()) {
    rows.push([...scanner.cells]);
    lines.push([...scanner.cellLine]);
  }
  return { rows, lines, scanner };
}

describe('CsvScanner', () => {
  it.each([
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,,\n\n,,\n b , "c" \n',
      [
        ['a', '', ''],
        ['b', 'c'],
      ],
    ],
    ['"a,1","b ""q"" c"', [['a,1', 'b "q" c']]],
    ['5" disk,say "x"', [['5" disk', 'say "x"']]],
    [
      '"5 inch,x\n"b",c',
      [
        ['"5 inch', 'x'],
        ['b', 'c'],
      ],
    ],
    ['"a" b,c', [['a b', 'c']]],
    ['', []],
  ])('cuts %j', (text, rows) => {
    expect(rowsOf(text).rows).toEqual(rows);
  });

  it('says in which line each cell begins', () => {
    expect(rowsOf('a,b\n"x\r\ny",z\n\n"\n\nq",r\ns').lines).toEqual([[1, 1], [2, 3], [7, 7], [8]]);
  });

  it('stops at a quote that is never closed', () => {
    const { rows, scanner } = rowsOf('a,b\n1,"two\n3,4');
    expect(rows).toEqual([['a', 'b']]);
    expect(scanner.broken).toEqual({ at: 6, rowAt: 4, line: 2 });
  });

  it('gives back what was written, line numbers included', () => {
    const cell = fc
      .array(fc.constantFrom('a', 'ä', '"', ',', '\n', ' b', '😀', ';'))
      .map((parts) => parts.join('').trim());
    // A first cell that holds a word makes each row one that counts.
    const row = fc.array(cell, { maxLength: 4 }).map((cells) => ['k', ...cells]);
    fc.assert(
      fc.property(fc.array(row), fc.constantFrom(',', ';'), (rows, delimiter) => {
        const written = rows.map((cells) =>
          cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(delimiter),
        );
        const read = rowsOf(written.join('\n'), delimiter);
        expect(read.rows).toEqual(rows);
        let line = 1;
        for (const [i, text] of written.entries()) {
          expect(read.lines[i]![0]).toBe(line);
          line += text.split('\n').length;
        }
      }),
    );
  });

  it('takes time that grows with the size, whatever the quotes', () => {
    for (const text of ['"5 inch,a\n', '"",""\n', '"a""\n', '"\n""\n', 'a""b,\n']) {
      expect(
        cpuMsOf(() => rowsOf(text.repeat(200_000))),
        text,
      ).toBeLessThan(1_500);
    }
  });
});
