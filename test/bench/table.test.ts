import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { markdownTable, figure } = await load('lib/table.mjs');

describe('markdownTable', () => {
  it('aligns columns by width, numbers to the right', () => {
    expect(
      markdownTable(
        ['engine', 'rate:'],
        [
          ['sluice', '1,534'],
          ['x', 7],
        ],
      ).split('\n'),
    ).toEqual(['| engine |  rate |', '| ------ | ----: |', '| sluice | 1,534 |', '| x      |     7 |']);
  });

  it('escapes what would end a cell, and keeps short columns valid', () => {
    expect(markdownTable(['a'], [['x|y']]).split('\n')).toEqual(['| a    |', '| ---- |', '| x\\|y |']);
    expect(markdownTable(['a'], []).split('\n')).toEqual(['| a   |', '| --- |']);
  });
});

describe('figure', () => {
  it.each([
    [1534.4, '1,534'],
    [999.6, '1,000'],
    [123.4, '123'],
    [12.34, '12.3'],
    [1.236, '1.24'],
    [0.98149, '0.981'],
    [1, '1'],
    [0, '0'],
    [665947, '665,947'],
    [Number.NaN, 'NaN'],
    [undefined, '–'],
  ])('prints %s as %s', (value, text) => {
    expect(figure(value)).toBe(text);
  });
});
