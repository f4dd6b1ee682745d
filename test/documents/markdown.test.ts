import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import MarkdownIt, { type Token } from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../src/documents/markdown.js';
import { cpuMs } from '../cpu-time.js';
import { blockTexts, expectSound, outlineOf, uncovered, uncoveredWords } from './structure.js';

const PAGE = `---
title: Handbook
date: 2024-03-05
tags: [ops, net]
---
# The **handbook** of [\`sluice\`](http://x.example/a_b)

Intro line one
and two.

Set ext
-------

- item one

  \`\`\`
  # no heading
  \`\`\`
- item two

> # quoted

| a | b |
|---|---|
| 1 | 2 |

\`\`\`js
## not a heading
\tkey:  1
\`\`\`

***

<div>
## raw
</div>

    indented code

### Deep

[ref]: http://x.example "Title"
[two]: http://y.example
`;

/** Whether a paragraph has words, or an image that is described in more than a few. */
function saysSomething(tokens: readonly Token[]): boolean {
  return tokens.some(({ type, content, children }) => {
    if (type === 'image') return content.length > 40;
    return type === 'inline'
      ? saysSomething(children ?? [])
      : type !== 'html_inline' && /[\p{L}\p{N}]/u.test(content);
  });
}

describe('readMarkdown', () => {
  it('finds sections and blocks over the untouched source', () => {
    const page = readMarkdown(PAGE);
    expectSound(page);
    expect(page.text).toBe(PAGE);
    expect(page.title).toBe('Handbook');
    expect(page.metadata).toEqual({ title: 'Handbook', date: '2024-03-05', tags: ['ops', 'net'] });
    expect(outlineOf(page)).toEqual(['# The handbook of sluice', '## Set ext', '### Deep']);
    expect(blockTexts(page)).toEqual([
      ['frontMatter', PAGE.slice(0, PAGE.indexOf('\n# The'))],
      ['heading', '# The **handbook** of [`sluice`](http://x.example/a_b)'],
      ['prose', 'Intro line one\nand two.'],
      ['heading', 'Set ext\n-------'],
      ['list', '- item one\n\n  ```\n  # no heading\n  ```\n- item two'],
      ['prose', '> # quoted'],
      ['table', '| a | b |\n|---|---|\n| 1 | 2 |'],
      ['code', '```js\n## not a heading\n\tkey:  1\n```'],
      ['prose', '<div>\n## raw\n</div>'],
      ['code', '    indented code'],
      ['heading', '### Deep'],
    ]);
    expect(uncovered(page).replace(/\s+/g, ' ').trim()).toBe(
      '*** [ref]: http://x.example "Title" [two]: http://y.example',
    );
  });

  it.each(['\r\n', '\r'])('has the same structure with other line ends (%j)', (lineEnd) => {
    const source = PAGE.replaceAll('\n', lineEnd);
    const page = readMarkdown(source);
    expectSound(page);
    expect(page.text).toBe(source);
    expect(page.metadata).toEqual(readMarkdown(PAGE).metadata);
    expect(blockTexts(page).map(([kind, text]) => [kind, text.replaceAll(lineEnd, '\n')])).toEqual(
      blockTexts(readMarkdown(PAGE)),
    );
  });

  it('loses nothing after a fence that is never closed (C1)', () => {
    const source = '# Top\n\nprose\n\n```js\nlet a = 1;\n\n## Later part\n\nThe last sentence.\n';
    const page = readMarkdown(source);
    expectSound(page);
    expect(blockTexts(page).at(-1)).toEqual([
      'code',
      '```js\nlet a = 1;\n\n## Later part\n\nThe last sentence.',
    ]);
    expect(uncovered(page).trim()).toBe('');
  });

  it.each([
    '[![build](https://ci.example/b.svg)](https://ci.example) ![npm](v.svg)\n[![cover][c]][d]',
    '<p align="center">\n  <a href="x"><img src="a.png" width="80"></a>&nbsp;\n</p>',
    '<!-- prettier-ignore-start -->',
    '![Logo](logo.svg "The logo")',
    '[c]: https://a.example\n[d]: https://b.example',
  ])('makes no block of %j', (markup) => {
    const page = readMarkdown(`# Top\n\n${markup}\n\nText.\n`);
    expectSound(page);
    expect(blockTexts(page)).toEqual([
      ['heading', '# Top'],
      ['prose', 'Text.'],
    ]);
  });

  it.each([
    '![The way of a document from its bytes to the index](way.svg)',
    '[![build](b.svg)](ci) of the main branch',
    '[Read the guide](guide.md)',
    '<p>Words.</p>',
    '<!-- never closed',
    '`<script src="a.js"></script>`',
  ])('makes a block of %j', (markup) => {
    expect(blockTexts(readMarkdown(`# Top\n\n${markup}`))).toEqual([
      ['heading', '# Top'],
      ['prose', markup],
    ]);
  });

  it('keeps tabs, no-break spaces and indentation (C3)', () => {
    const source = '```yaml\na:\n  child: 1\n\ttab\n```\n\nnon\u00a0breaking  two\n';
    const page = readMarkdown(source);
    expect(blockTexts(page)).toEqual([
      ['code', '```yaml\na:\n  child: 1\n\ttab\n```'],
      ['prose', 'non\u00a0breaking  two'],
    ]);
  });

  it('treats the special words of tokenizers as text (T1)', () => {
    const source = 'It ends with <|endoftext|>, <|im_start|>, [CLS], </s> and <pad>.';
    expect(blockTexts(readMarkdown(source))).toEqual([['prose', source]]);
  });

  it.each([
    ['# first\n', 'first'],
    ['## second\n\n# first', 'first'],
    ['## only second', 'only second'],
    ['no heading', undefined],
    ['#\n\n# x', 'x'],
    ['---\ntitle: 7\n---\n# x', '7'],
    ['---\ntitle: ""\n---\n# x', 'x'],
    ['# ![Logo](a.png) a &amp; b <b>c</b> ~~d~~ \\*e', 'a & b c d *e'],
    ['# [![Build Status](b.svg)](ci)', 'Build Status'],
  ])('titles %j', (source, title) => {
    expect(readMarkdown(source).title).toBe(title);
  });

  it('keeps a heading line of any length out of the outline', () => {
    const page = readMarkdown(`${'😀'.repeat(500)}\n---\n`);
    expect(page.sections.heading[1]!.length).toBeLessThanOrEqual(256);
    expect(page.sections.heading[1]).toBe('😀'.repeat(128));
  });

  it('is sound for any text', () => {
    const piece = fc.constantFrom(
      ...[
        '# h',
        '## ',
        '- a',
        '  - b',
        '```',
        '~~~',
        '> ',
        '---',
        '===',
        '|a|b|',
        '|-|-|',
        '    x',
        '<div>',
        '<!--',
      ],
      ...[
        '[a]: b',
        'text',
        '\n',
        '\n',
        '\n\n',
        '\r\n',
        '\r',
        ' ',
        '\t',
        '+++',
        'k: v',
        '😀',
        '\ud800',
        '1. x',
        '***',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const source = pieces.join('');
        const page = readMarkdown(source);
        expectSound(page);
        expect(page.text).toBe(source);
        // Rules, tags and definitions of links carry no words; everything else that is visible lies in a block.
        expect(uncoveredWords(page)).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('takes time in proportion to hostile sources', () => {
    for (const source of ['>'.repeat(2e5), '- '.repeat(1e5), '[a\n'.repeat(5e4), `# ${'['.repeat(1e5)}`]) {
      const before = cpuMs();
      readMarkdown(source);
      expect(cpuMs() - before).toBeLessThan(500);
    }
  });

  it('finds the blocks of the parser as it comes, in real pages', () => {
    const stock = new MarkdownIt({ html: true });
    const folder = 'node_modules';
    const names = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => /readme\.md$/i.test(name))
      .sort();
    let compared = 0;
    for (const name of names.slice(0, 150)) {
      const source = readFileSync(join(folder, name), 'utf8');
      if (source.startsWith('---') || source.includes('\0')) continue;
      const lineStarts = [0, ...[...source.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
      const env = {};
      const expected: number[] = [];
      const tokens: Token[] = [];
      stock.block.parse(source.replace(/\r\n?/g, '\n'), stock, env, tokens);
      for (const [row, { type, level, nesting, map, content }] of tokens.entries()) {
        if (level !== 0 || nesting < 0 || !map) continue;
        if (type === 'html_block' && !/[\p{L}\p{N}]/u.test(content.replace(/<!--[\s\S]*?-->|<[^<>]*>/g, '')))
          continue;
        if (type === 'paragraph_open' && !saysSomething(stock.parseInline(tokens[row + 1]!.content, env)))
          continue;
        if (!['hr', 'inline', 'reference_definition'].includes(type)) expected.push(lineStarts[map[0]]!);
      }
      expect([...readMarkdown(source).blocks.start], name).toEqual(expected);
      compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });
});
