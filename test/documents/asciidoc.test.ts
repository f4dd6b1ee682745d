import { describe, expect, it } from 'vitest';
import { readAsciidoc } from '../../src/documents/asciidoc.js';
import { ASCIIDOC } from './samples.js';
import { blockTexts, expectSound, outlineOf, uncovered } from './structure.js';

describe('readAsciidoc', () => {
  it('finds every kind of block over the untouched source', () => {
    const page = readAsciidoc(ASCIIDOC);
    expectSound(page);
    expect(page.text).toBe(ASCIIDOC);
    expect(page.dropped).toBeUndefined();
    expect(page.title).toBe('Harbour guide');
    expect(page.metadata).toEqual({ toc: 'left', status: 'draft' });
    expect(outlineOf(page)).toEqual(['# Harbour guide', '## Tides', '### Moorings']);
    expect(uncovered(page).replace(/\s/g, '')).toBe(`========'''________`);
    expect(blockTexts(page)).toEqual([
      ['prose', '// licence'],
      ['heading', '= Harbour guide'],
      ['frontMatter', 'Ada Byron <ada@x.example>\n:toc: left\n:status: draft'],
      ['prose', 'Ships come in.'],
      ['code', '[source,ruby]\n.How to moor\n----\n== no heading\nmoor :bow\n----'],
      ['heading', '== Tides'],
      ['prose', '[NOTE]'],
      ['prose', 'Read the table.'],
      ['code', '....\n3 m\n....'],
      ['table', '.Heights\n[cols="1,1"]\n|===\n|Place |Height\n\n|Bar\n|3 m\n|==='],
      ['list', '* one\n+\n----\nattached\n----\n** deeper\n* two'],
      ['prose', 'Apart.'],
      ['list', '-v::\n--verbose::\n\tSay more.\n+\nAnd again.'],
      ['list', '--quiet::\n\tSay less.'],
      ['prose', 'NOTE: A short one.'],
      ['code', ' literal by its blank'],
      ['prose', '////\na comment\n////'],
      ['heading', 'Moorings\n~~~~~~~~'],
      ['prose', 'ifdef::x[]'],
      ['prose', 'Only with x.'],
      ['prose', 'endif::[]'],
      ['prose', 'Said.'],
    ]);
  });

  it.each([
    ['= Doc\n\n== Part ==\n=== Sub\n', ['# Doc', '## Part', '### Sub']],
    ['NAME\n----\ntext\n', ['## NAME']],
    ['Doc\n===\n\nPart\n----\n', ['# Doc', '## Part']],
    ['text long enough\n----\ncode\n----\n', []],
    ['----\n== no\n\ncode\n----\nafter\n\n....\n== never closed', []],
    ['====\n== inside\n====\n\n== After\n', ['## After']],
    ['* item\nand\n= so on\n', []],
    ['* item\n\n== After\n', ['## After']],
    ['[[anchor]]\n== With anchor\n', ['## With anchor']],
    ['ifdef::x[]\nTitle\n~~~~~\nendif::[]\n', ['### Title']],
  ])('outlines %j', (text, outline) => {
    const page = readAsciidoc(text);
    expectSound(page);
    expect(outlineOf(page)).toEqual(outline);
  });

  it.each([
    ['[source]\nputs 1\nputs 2\n\ntext', ['code', 'prose']],
    ['```js\nx\n```', ['code']],
    ['|===\n|never closed', ['table']],
    ['====\nnever closed', ['prose']],
    ['[.lead]\n', ['prose']],
    ['a:: b\nc:: d', ['list', 'list']],
    ['see foo::bar() for more', ['prose']],
    ['std::vector', ['prose']],
  ])('knows %j', (text, kinds) => {
    expect(blockTexts(readAsciidoc(text)).map(([name]) => name)).toEqual(kinds);
  });
});
