import { describe, expect, it } from 'vitest';
import { readNotebook } from '../../src/documents/notebook.js';
import { NOTEBOOK } from './samples.js';
import { blockTexts, expectSound, outlineOf, rawLineOf, uncovered } from './structure.js';

describe('readNotebook', () => {
  it('makes sections of Markdown cells and fences of code and outputs', () => {
    const page = readNotebook(NOTEBOOK);
    expectSound(page);
    expect(uncovered(page).trim()).toBe('');
    expect(page).toMatchObject({ title: 'Tides', metadata: { language: 'python' } });
    expect(outlineOf(page)).toEqual(['# Tides', '## Moorings']);
    expect(blockTexts(page)).toEqual([
      ['heading', '# Tides'],
      ['prose', 'How high?'],
      ['code', '```\nnot closed'],
      ['code', '```python\ntide = 3\nprint(tide)\n```'],
      ['code', '```\n3\n```'],
      ['code', '```\n<Figure>\n```'],
      ['code', '```\nE: no\n```'],
      ['heading', '## Moorings'],
      ['prose', 'text'],
      ['prose', 'raw words'],
    ]);
    expect(page.dropped).toEqual([{ reason: 'image', chars: 12, isText: false }]);
  });

  it('knows the line of the file in which each line of a cell stands', () => {
    const page = readNotebook(NOTEBOOK);
    const lines = NOTEBOOK.split('\n');
    for (const words of [
      '# Tides',
      'How high?',
      'not closed',
      'tide = 3',
      'print(tide)',
      '## Moorings',
      'raw words',
    ]) {
      expect(lines[rawLineOf(page, words) - 1], words).toContain(words);
    }
    // A notebook in one line has no other line to name.
    expect(rawLineOf(readNotebook(JSON.stringify(JSON.parse(NOTEBOOK))), 'print(tide)')).toBe(1);
  });

  it('cuts long outputs and says how much is left out', () => {
    const text = Array.from({ length: 500 }, (_, i) => `line ${i}\n`);
    const html = ['<b>bold</b>'];
    const page = readNotebook(
      JSON.stringify({
        cells: [
          { cell_type: 'code', source: 'x', outputs: [{ text }, { data: { 'text/html': html } }] },
          { cell_type: 'markdown', source: 'y', attachments: { 'a.png': { 'image/png': 'AAAA' } } },
        ],
      }),
    );
    expectSound(page);
    expect(page.text).toContain('line 200\n');
    expect(page.text).not.toContain('line 300\n');
    const kept = page.text.match(/line \d+/g)!.length;
    const missing = text.slice(kept).join('').replace(/\s/g, '').length;
    expect(page.dropped).toEqual([
      { reason: 'long cell output', chars: missing, isText: true },
      { reason: 'cell output in another form', chars: 11, isText: true },
      { reason: 'image', chars: '{"a.png":{"image/png":"AAAA"}}'.length, isText: false },
    ]);
  });

  it('reads the third format too, and what is none as JSON', () => {
    const old = { worksheets: [{ cells: [{ cell_type: 'code', input: ['a = 1'], outputs: [] }] }] };
    expect(readNotebook(JSON.stringify(old)).text).toBe('```\na = 1\n```');
    for (const text of ['{"cells": [', '{"a": 1}', '[]', '3', '']) expect(readNotebook(text).text).toBe(text);
  });

  it('fences code that holds fences', () => {
    const cell = { cell_type: 'code', source: '"""\n```\n"""', outputs: [] };
    expect(blockTexts(readNotebook(JSON.stringify({ cells: [cell] })))).toEqual([
      ['code', '````\n"""\n```\n"""\n````'],
    ]);
  });
});
