import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCode } from '../../src/documents/code.js';
import { readText } from '../../src/documents/text.js';
import { blockTexts, expectSound, uncovered } from './structure.js';

describe('readText', () => {
  it('makes a block of each paragraph', () => {
    const text = '\n a b\nc\n\n\t\nd\r\n\r\ne';
    expect(blockTexts(readText(text))).toEqual([
      ['prose', ' a b\nc'],
      ['prose', 'd'],
      ['prose', 'e'],
    ]);
    expect(readText(text).title).toBeUndefined();
  });

  it('is sound and covers any text', () => {
    const piece = fc.constantFrom('a', '\n', '\n\n', '\r', ' x', '\t', '\u00a0', '😀');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const page = readText(pieces.join(''));
        expectSound(page);
        expect(uncovered(page).trim()).toBe('');
      }),
    );
  });
});

describe('readCode', () => {
  it('makes a block of each group of lines, indentation included', () => {
    const text = '# a heading?\ndef f():\n\treturn 1\n\n\n  x = 2\n';
    const page = readCode(text);
    expectSound(page);
    expect(page.sections.start.length).toBe(1);
    expect(blockTexts(page)).toEqual([
      ['code', '# a heading?\ndef f():\n\treturn 1'],
      ['code', '  x = 2'],
    ]);
  });
});
