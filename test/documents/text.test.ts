import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCode } from '../../src/documents/code.js';
import { readText } from '../../src/documents/text.js';
import { blockTexts, expectSound, outlineOf, uncovered } from './structure.js';

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

  it('reads the headings of reStructuredText, levels by first use', () => {
    const text =
      '=====\nTitle\n=====\n\nIntro::\n\n    literal\n\nPart\n----\ntext\n\nSub\n~~~\n\nPart 2\n------\n\n----\n\nend';
    const page = readText(text, 'rst');
    expectSound(page);
    expect(page.title).toBe('Title');
    expect(outlineOf(page)).toEqual(['# Title', '## Part', '### Sub', '## Part 2']);
    expect(blockTexts(page)).toContainEqual(['code', '    literal']);
    expect(uncovered(page).trim()).toBe('');
  });

  it('reads the headings of AsciiDoc, but not those in listings', () => {
    const text = '= Doc\n\ntext\n\n== Part\n----\n== no\n\ncode\n----\nafter\n\n....\n== never closed';
    const page = readText(text, 'asciidoc');
    expectSound(page);
    expect(outlineOf(page)).toEqual(['# Doc', '## Part']);
    expect(blockTexts(page).filter(([kind]) => kind === 'code')).toEqual([
      ['code', '----\n== no\n\ncode\n----'],
      ['code', '....\n== never closed'],
    ]);
    expect(uncovered(page).trim()).toBe('');
  });

  it('is sound and covers any text in any markup', () => {
    const piece = fc.constantFrom(
      '=',
      '==',
      '== a',
      '----',
      '....',
      'Title',
      '=====',
      '\n',
      '\n\n',
      '\r',
      ' x',
      '::',
      '~',
    );
    fc.assert(
      fc.property(
        fc.array(piece),
        fc.constantFrom('plain' as const, 'rst' as const, 'asciidoc' as const),
        (pieces, markup) => {
          const page = readText(pieces.join(''), markup);
          expectSound(page);
          expect(uncovered(page).trim()).toBe('');
        },
      ),
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
