import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import MarkdownIt, { type Token } from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../src/documents/markdown.js';
import { cpuMs } from '../cpu-time.js';
import { blockTexts, expectSound, outlineOf, uncovered } from './structure.js';

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
      ['prose', '[ref]: http://x.example "Title"\n[two]: http://y.example'],
    ]);
    expect(uncovered(page).trim()).toBe('***');
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
        // Rules carry no words; everything else that is visible lies in a block.
        expect(uncovered(page).replace(/[\s*_-]/g, '')).toBe('');
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
      let last = '';
      const expected: number[] = [];
      const tokens: Token[] = [];
      stock.block.parse(source.replace(/\r\n?/g, '\n'), stock, {}, tokens);
      for (const { type, level, nesting, map } of tokens) {
        if (level !== 0 || nesting < 0 || !map) continue;
        const goesOn = type === 'reference_definition' && last === type;
        if (type !== 'hr' && type !== 'inline' && !goesOn) expected.push(lineStarts[map[0]]!);
        last = type;
      }
      expect([...readMarkdown(source).blocks.start], name).toEqual(expected);
      compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });
});
