import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachParagraph, LineTable } from '../../src/documents/lines.js';

describe('LineTable', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\n\n', ['a', '']],
    ['a\r\nb\rc\nd', ['a', 'b', 'c', 'd']],
    ['\r\r\n\n', ['', '', '']],
    ['a\u2028b', ['a\u2028b']],
  ])('splits %j', (text, expected) => {
    const lines = new LineTable(text);
    expect(Array.from({ length: lines.count }, (_, i) => lines.line(i))).toEqual(expected);
  });

  it('covers the text, and counts lines like a split', () => {
    const piece = fc.constantFrom('a', ' ', '\n', '\r', '\r\n', 'é', '😀');
    const withoutCr = fc.constantFrom('a', ' ', '\n', 'é', '😀');
    fc.assert(
      fc.property(fc.oneof(fc.array(piece), fc.array(withoutCr)), (pieces) => {
        const text = pieces.join('');
        const lines = new LineTable(text);
        expect(lines.starts[0]).toBe(0);
        expect(lines.starts[lines.count]).toBe(text.length);
        const split = text.split(/\r\n|\r|\n/);
        if (split.at(-1) === '') split.pop();
        expect(Array.from({ length: lines.count }, (_, i) => lines.line(i))).toEqual(split);
      }),
    );
  });

  it('knows blank lines, also of wide blanks', () => {
    const lines = new LineTable('a\n \t\n\u3000\nb');
    expect([0, 1, 2, 3].map((i) => lines.isBlank(i))).toEqual([false, true, true, false]);
    expect(lines.trimmedEnd(0, 3)).toBe(1);
  });

  it('finds paragraphs', () => {
    const found: [number, number][] = [];
    eachParagraph(new LineTable('\na\nb\n\n\nc'), 0, 6, (from, to) => found.push([from, to]));
    expect(found).toEqual([
      [1, 3],
      [5, 6],
    ]);
  });
});
