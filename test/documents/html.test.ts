import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtml } from '../../src/documents/html.js';
import { blockTexts, expectSound, outlineOf } from './structure.js';

const textOf = (html: string) => readHtml(html).text;

describe('readHtml', () => {
  it('renders a page', () => {
    const page =
      readHtml(`<!doctype html><html lang=de><head><title> A &amp; B </title><style>x{}</style></head><body>
      <nav><a href=/>Home</a></nav><header>Site</header>
      <h1>Main   title<a class=anchor>¶</a></h1><p>One <b>two</b>
      three&nbsp;four<br>five<script>no()</script></p>
      <h2>Lists</h2><ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ul>
      <dl><dt>term<dd>meaning</dl>
      <pre><code>  if x:
	pass
</code></pre>
      <table><tr><th>k<th>v</tr><tr><td>a|b<td>2</tr><tr><td>only</table>
      <blockquote>said</blockquote><hr><footer>bye</footer></body></html>`);
    expectSound(page);
    expect(page.title).toBe('A & B');
    expect(page.metadata).toEqual({ lang: 'de' });
    expect(outlineOf(page)).toEqual(['# Main title', '## Lists']);
    expect(blockTexts(page)).toEqual([
      ['heading', 'Main title'],
      ['prose', 'One two three\u00a0four\nfive'],
      ['heading', 'Lists'],
      ['list', '- a\n  - b\n- c\n  d'],
      ['list', '- term\n  meaning'],
      ['code', '  if x:\n\tpass'],
      ['table', '| k | v |\n| --- | --- |\n| a\\|b | 2 |\n| only |  |'],
      ['prose', 'said'],
    ]);
  });

  it.each([
    ['<main><p>in</p></main><p>out</p>', 'in'],
    ['<div role="main"><p>in</p></div><p>out</p>', 'in'],
    [
      '<article><header><h1>T</h1></header><nav>n</nav>in the article</article><p>out</p>',
      'T\n\nin the article',
    ],
    [
      '<article>x</article><p>much more text than there is in the card</p>',
      'x\n\nmuch more text than there is in the card',
    ],
    ['<nav>n</nav><p>in</p><aside>a</aside>', 'in'],
    ['<nav>only navigation</nav>', 'only navigation'],
    ['<main></main><nav>n</nav>', 'n'],
    ['<form><h1>T</h1><p>the page is one form</p></form>', 'T\n\nthe page is one form'],
    ['<p>a page with a search field</p><form>search</form>', 'a page with a search field'],
    ['<body hidden><p>shown by a script</p></body>', 'shown by a script'],
    ['<p hidden>no</p><p>yes</p>', 'yes'],
  ])('chooses the content of %s', (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it.each([
    ['<p>a<p>b', 'a\n\nb'],
    ['a</p>b</div></b>c', 'a\n\nbc'],
    ['<h2>never closed<p>text', 'never closed\n\ntext'],
    ['<h2>T<span>x</span></h2>', 'Tx'],
    ['<head><title>t</title><p>head never closed', 'head never closed'],
    ['<svg><title>no</title><text>no</text></svg>yes', 'yes'],
    ['<noscript>no</noscript><template>no</template>yes', 'yes'],
    ['<ul><li>one<h3>H</h3>two</ul>', '- one\n\nH\n\n  two'],
    ['<li>stray</li><p>p</p>', '- stray\n\np'],
    ['<dt>stray</dt><p>p</p>', '- stray\n\np'],
    ['<td>stray</td><p>p</p>', 'stray\n\np'],
    ['<table><tr><td><h2>Layout</h2><p>a</p></td><td>b</td></tr></table>', 'Layout\n\na\n\nb'],
    ['<table><caption>C</caption><tr><td>1<td>2</table>', 'C\n\n| 1 | 2 |\n| --- | --- |'],
    ['<table><tr><td>x<ul><li>a<li>b</ul><td>2</table>', '| x - a - b | 2 |\n| --- | --- |'],
    ['<pre>\r\na\r\n\tb  \n</pre>', 'a\n\tb'],
    ['<pre><div>a</div><div>b</div></pre>', 'a\nb'],
    ['<form>aaaa <form>bbbb</form><p>c', 'aaaa bbbb\n\nc'],
    ['&lt;b&gt; &#0;&#xD800; &nosuch; &eacute', '<b> \ufffd\ufffd &nosuch; é'],
    ['<![CDATA[x]]><!-- c --><?php x ?>t', 't'],
    ['<', '<'],
    ['', ''],
  ])('survives %j', (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it('knows the self-closing elements of XHTML', () => {
    const body = '<h2><a name="x"/>T</h2><p>a<svg/>b</p>';
    expect(textOf(`<?xml version="1.0"?><html>${body}</html>`)).toBe('T\n\nab');
  });

  it.each([
    ['<h1>H</h1>', 'H'],
    ['<header><h1>In header</h1></header><p>x', 'In header'],
    ['<p>x', undefined],
  ])('titles %s', (html, title) => {
    expect(readHtml(html).title).toBe(title);
  });

  it('keeps every word of pages nested deeper than any stack', () => {
    for (const [open, kind] of [
      ['<div>', 'words'],
      ['<table><tr><td>', 'words'],
      ['<ul><li>', 'words'],
      ['<b>', 'letters'],
    ] as const) {
      const began = performance.now();
      const text = textOf(Array.from({ length: 20_000 }, (_, i) => `${open}w${i} `).join(''));
      expect(text.match(/w\d+/g)?.length, kind).toBe(20_000);
      expect(performance.now() - began).toBeLessThan(5000);
    }
  });

  it('finds its way out of what is nested too deep', () => {
    const deep = '<b>'.repeat(600);
    expect(textOf(`<nav><form>x<form>y${deep}z${deep.replaceAll('<', '</')}</form></nav><p>after</p>`)).toBe(
      'after',
    );
  });

  it('is sound for any soup of tags, and loses no word of the body', () => {
    const tags = [
      'p',
      'div',
      'h1',
      'h3',
      'ul',
      'ol',
      'li',
      'table',
      'tr',
      'td',
      'pre',
      'dl',
      'dt',
      'dd',
      'form',
      'b',
      'main',
    ];
    const piece = fc.oneof(
      fc.constantFrom(...tags).map((tag) => `<${tag}>`),
      fc.constantFrom(...tags).map((tag) => `</${tag}>`),
      fc.constantFrom(' word ', '<br>', '\n', '&amp;', '<hr/>'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const html = pieces.filter((tag) => !/main|form/.test(tag)).join('');
        const page = readHtml(html);
        expectSound(page);
        expect(page.text.match(/word/g)?.length ?? 0).toBe(html.match(/word/g)?.length ?? 0);
        expectSound(readHtml(pieces.join('')));
      }),
      { numRuns: 500 },
    );
  });
});
