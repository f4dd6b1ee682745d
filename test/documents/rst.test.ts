import { describe, expect, it } from 'vitest';
import { readRst } from '../../src/documents/rst.js';
import { cpuMs } from '../cpu-time.js';
import { RST } from './samples.js';
import { blockTexts, expectSound, outlineOf, uncovered } from './structure.js';

describe('readRst', () => {
  it('finds every kind of block over the untouched source', () => {
    const page = readRst(RST);
    expectSound(page);
    expect(page.text).toBe(RST);
    expect(page.dropped).toBeUndefined();
    expect(page.title).toBe('Harbour');
    expect(page.metadata).toEqual({ orphan: '', author: 'Ada', version: '2.1', status: 'draft' });
    expect(outlineOf(page)).toEqual(['# Harbour', '## Tides', '### Moorings']);
    expect(uncovered(page).replace(/\s/g, '')).toBe('----');
    expect(blockTexts(page)).toEqual([
      ['frontMatter', ':orphan:\n:Author: Ada'],
      ['prose', '.. A comment\n   of two lines.'],
      ['heading', '=======\nHarbour\n======='],
      ['list', ':Version: 2.1\n:Status: draft'],
      ['prose', 'Ships come in::'],
      ['code', '    $ moor --bow\n    $ moor --stern'],
      ['prose', '.. contents:: On this page'],
      ['heading', 'Tides\n-----'],
      ['prose', '.. note:: Read the table\n   before you sail.'],
      ['prose', '   High water is at noon:'],
      ['code', '   .. code-block:: python\n      :linenos:\n\n      tide = 3'],
      ['prose', '   See below.'],
      [
        'table',
        '+-------+--------+\n| Place | Height |\n+=======+========+\n| Bar   | 3 m    |\n+-------+--------+',
      ],
      ['table', '=====  =====\nMonth  Days\n=====  =====\nMay    31\n\nJune   30\n=====  ====='],
      ['table', '.. csv-table:: Winds\n   :header: "Name", "Force"\n\n   "Bora", 9'],
      ['code', '>>> tide + 1\n4'],
      ['list', '- one\n\n  more of one\n- two'],
      ['list', '1. First\n2. Second'],
      ['prose', 'A. Milne wrote this line\nand this one.'],
      ['list', '-v, --verbose  Say more.'],
      ['list', '--quiet        Say less.'],
      ['list', 'term\n    What the term means.\n\n    And more.'],
      ['prose', '> quoted\n> literal'],
      ['prose', 'Rope::'],
      ['code', '> one\n> two'],
      ['prose', '   A quote, indented.'],
      ['prose', '.. [1] A footnote.'],
      ['prose', '.. _link: http://x.example'],
      ['heading', 'Moorings\n~~~~~~~~'],
      ['prose', '| A line block\n| of two lines'],
    ]);
  });

  it.each([
    ['Title\n=====\n\nA\n-\n\nB\n~\n\nC\n-\n', ['# Title', '## A', '### B', '## C']],
    ['====\n In \n====\n\nx', ['# In']],
    ['日本語\n======\n', ['# 日本語']],
    ['Almost\n-----\n', ['# Almost']],
    ['1. Intro\n========\n', ['# 1. Intro']],
    ['- item\n------\n', []],
    ['Long title\n--\n', []],
    ['para\nTitle\n=====\n', []],
    ['  Quoted\n  ======\n', []],
    ['.. note::\n\n   In\n   ==\n', []],
    ['text::\n\n  Code\n  ====\n\nAfter\n=====\n', ['# After']],
    ['----\n\ntext\n\n----', []],
    ['..\n\n   quote\n\nT\n=\n', ['# T']],
  ])('outlines %j', (text, outline) => {
    const page = readRst(text);
    expectSound(page);
    expect(outlineOf(page)).toEqual(outline);
  });

  it('reads the header of a Python enhancement proposal', () => {
    const page = readRst('PEP: 8\nTitle: Style\n Guide\nPost-History: 1\n\nIntro\n=====\n\nx');
    expectSound(page);
    expect(page.title).toBe('Style Guide');
    expect(page.metadata).toEqual({ pep: '8', title: 'Style Guide', 'post-history': '1' });
    expect(blockTexts(page)[0]).toEqual(['frontMatter', 'PEP: 8\nTitle: Style\n Guide\nPost-History: 1']);
  });

  it.each([
    ['.. math::\n\n   a = b', 'code'],
    ['.. list-table:: T\n\n   * - a\n     - b', 'table'],
    ['.. |name| image:: x.png', 'prose'],
    ['+ no grid table +', 'list'],
    ['===== ====\nnever closed\nwords', 'prose'],
  ])('knows %j', (text, kind) => {
    expect(blockTexts(readRst(text)).map(([name]) => name)).toEqual([kind]);
  });

  it('takes nesting of any depth', () => {
    const deep = Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}.. note::\n`).join('\n');
    const before = cpuMs();
    const page = readRst(deep);
    expectSound(page);
    expect(uncovered(page).trim()).toBe('');
    expect(cpuMs() - before).toBeLessThan(2_000);
  });
});
