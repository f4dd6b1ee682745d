import { describe, expect, it } from 'vitest';
import { linesInReadingOrder } from '../../../src/documents/pdf/columns.js';
import type { PdfTextItem, PdfTextStyle } from '../../../src/documents/pdf/library.js';
import { type Frame, RunCollector } from '../../../src/documents/pdf/runs.js';

interface Item extends Partial<PdfTextItem> {
  str: string;
  x: number;
  y: number;
  size?: number;
  style?: PdfTextStyle;
}

/** Items of 10 points whose letters are 5 points wide. */
function framesOf(items: readonly Item[]): Frame[] {
  const collector = new RunCollector();
  for (const { str, x, y, size = 10, style, ...rest } of items) {
    const width = (str.length * size) / 2;
    collector.add(
      { str, dir: 'ltr', transform: [size, 0, 0, size, x, y], width, height: size, fontName: 'f', ...rest },
      style,
    );
  }
  return collector.end();
}

const linesOf = (items: readonly Item[]) =>
  framesOf(items).flatMap(({ runs }) => linesInReadingOrder(runs).map((line) => line.text));

describe('RunCollector', () => {
  it.each<[string, Item[], string[]]>([
    [
      'a gap that was not drawn',
      [
        { str: 'two', x: 0, y: 0 },
        { str: 'words', x: 19, y: 0 },
      ],
      ['two words'],
    ],
    [
      'letters side by side',
      [
        { str: 'wo', x: 0, y: 0 },
        { str: 'rd', x: 10.5, y: 0 },
      ],
      ['word'],
    ],
    [
      'a blank that was drawn',
      [
        { str: 'a', x: 0, y: 0 },
        { str: ' ', x: 5, y: 0 },
        { str: 'b', x: 6, y: 0 },
      ],
      ['a b'],
    ],
    [
      'justified Japanese',
      [
        { str: 'それ', x: 0, y: 0, width: 20 },
        { str: ' ', x: 20, y: 0 },
        { str: 'を', x: 24, y: 0 },
      ],
      ['それを'],
    ],
    [
      'a footnote mark',
      [
        { str: 'maple', x: 0, y: 0 },
        { str: '3', x: 25, y: 4, size: 6 },
        { str: ' is', x: 28, y: 0 },
      ],
      ['maple3 is'],
    ],
    [
      'a wide gap',
      [
        { str: 'host', x: 0, y: 0 },
        { str: 'Oslo', x: 200, y: 0 },
      ],
      ['host  Oslo'],
    ],
    [
      'bold by drawing twice',
      [
        { str: 'bold', x: 0, y: 0 },
        { str: 'bold', x: 0.4, y: 0 },
      ],
      ['bold'],
    ],
    [
      'the same word twice',
      [
        { str: 'very', x: 0, y: 0 },
        { str: 'very', x: 23, y: 0 },
      ],
      ['very very'],
    ],
    [
      'Hebrew, from the right',
      [
        { str: 'שלום', x: 100, y: 0, dir: 'rtl' },
        { str: ' ', x: 97, y: 0, dir: 'rtl' },
        { str: 'עולם', x: 77, y: 0, dir: 'rtl' },
      ],
      ['שלום עולם'],
    ],
    [
      'cells of a Hebrew table',
      [
        { str: 'מארח', x: 0, y: 0, dir: 'rtl' },
        { str: 'מקום', x: 300, y: 0, dir: 'rtl' },
      ],
      ['מקום  מארח'],
    ],
    [
      'what has no place',
      [
        { str: 'x', x: Number.NaN, y: 0 },
        { str: 'y', x: 0, y: 0 },
      ],
      ['y'],
    ],
  ])('%s', (_, items, lines) => {
    expect(linesOf(items)).toEqual(lines);
  });

  it('reads columns that run from top to bottom from the right to the left', () => {
    const style = { fontFamily: 'serif', vertical: true };
    const columns = ['右の行は先に読む', '左の行は後に読む'];
    const items = columns.map((str, i) => ({
      str,
      x: 500 - i * 14,
      y: 700,
      width: 0,
      height: str.length * 10,
      style,
    }));
    expect(linesOf(items)).toEqual(columns);
  });

  it('puts the direction with most text first', () => {
    const side = { transform: [0, 10, -10, 0, 20, 20] };
    const frames = framesOf([
      { str: 'margin', x: 0, y: 0, ...side },
      { str: 'the text of the page', x: 50, y: 700 },
    ]);
    expect(frames.map(({ degrees, chars }) => [degrees, chars])).toEqual([
      [0, 20],
      [90, 6],
    ]);
  });
});
