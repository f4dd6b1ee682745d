import { describe, expect, it } from 'vitest';
import { bordersOf } from '../../src/chunking/borders.js';
import { BlockKind } from '../../src/model/document.js';

function bordersIn(table: string): { head: string; parts: string[] } {
  const text = `before\n\n${table}\n\nafter\n`;
  const block = { start: 8, end: 8 + table.length };
  const { at, head } = bordersOf(text, block, BlockKind.table)!;
  return { head, parts: at.map((start, i) => text.slice(start, at[i + 1] ?? block.end)) };
}

describe('borders of tables in other markup (C13)', () => {
  it.each([
    [
      'a grid table',
      '+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n|   | 3 |\n+---+---+\n| 4 | 5 |\n+---+---+',
      '+---+---+\n| a | b |\n+===+===+\n',
      ['+---+---+\n| a | b |\n+===+===+\n', '| 1 | 2 |\n|   | 3 |\n+---+---+\n', '| 4 | 5 |\n+---+---+'],
    ],
    [
      'a grid table without a head',
      '+---+---+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+',
      '',
      ['+---+---+\n', '| 1 | 2 |\n+---+---+\n', '| 3 | 4 |\n+---+---+'],
    ],
    [
      'a simple table',
      '==  ==\na   b\n==  ==\n1   2\n    3\n4   5\n==  ==',
      '==  ==\na   b\n==  ==\n',
      ['==  ==\na   b\n==  ==\n', '1   2\n    3\n', '4   5\n==  =='],
    ],
    [
      'a csv-table',
      '.. csv-table:: T\n   :header: "a", "b"\n\n   1, 2\n   3, 4',
      '.. csv-table:: T\n   :header: "a", "b"\n',
      ['.. csv-table:: T\n   :header: "a", "b"\n\n', '   1, 2\n', '   3, 4'],
    ],
    [
      'a list-table',
      '.. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2\n   * - 3\n     - 4',
      '.. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n',
      [
        '.. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n',
        '   * - 1\n     - 2\n',
        '   * - 3\n     - 4',
      ],
    ],
    [
      'an AsciiDoc table with its caption in the first part only',
      '.Cap\n[cols="1,1"]\n|===\n|a |b\n\n|1\n|2\n\n|3\n|4\n|===',
      '|===\n|a |b\n',
      ['.Cap\n[cols="1,1"]\n|===\n|a |b\n\n', '|1\n|2\n\n', '|3\n|4\n|==='],
    ],
    [
      'an AsciiDoc table without a head',
      '|===\n|1 |2\n|3 |4\n|===',
      '',
      ['|===\n', '|1 |2\n', '|3 |4\n|==='],
    ],
  ])('cuts %s between rows', (_, table, head, parts) => {
    expect(bordersIn(table)).toEqual({ head, parts });
  });

  it.each([
    '+---+---+',
    '==  ==',
    '==  ==\n==  ==',
    '.. csv-table:: T',
    '|===',
    '|===\n\n\n|===',
    '[a]\n[b]',
  ])('survives %j', (table) => {
    const { parts } = bordersIn(table);
    expect(parts.join('')).toBe(table);
    expect(parts).not.toContain('');
  });
});
