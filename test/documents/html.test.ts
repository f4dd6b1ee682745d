import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtml } from '../../src/documents/html.js';
import { cpuMs } from '../cpu-time.js';
import { blockTexts, expectSound, outlineOf, rawLineOf } from './structure.js';

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
    ['<p hidden>no</p><p hidden=until-found>folded</p><p>yes</p>', 'folded\n\nyes'],
    ['<section><header><h2>T</h2></header><p>in</p><footer>by me</footer></section>', 'T\n\nin\n\nby me'],
    ['<header>site</header><blockquote>said<footer>who</footer></blockquote>', 'said\n\nwho'],
    ['<section role=banner>site</section><section><div role=contentinfo>rights</div>in</section>', 'in'],
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
    ['<table>a<tr><td>1<td>2</td></tr>b</table>c', 'a\n\n| 1 | 2 |\n| --- | --- |\n\nb\n\nc'],
    [
      '<table><tr><td>k<td>v<tr><td>x<ul><li>a<li>b</ul><td>2</table>',
      '| k | v |\n| --- | --- |\n| x - a - b | 2 |',
    ],
    ['<table><tr><td>x<ul><li>a<li>b</ul><td>2</table>', 'x\n\n- a\n- b\n\n2'],
    ['<table><tr><td><img src=a><td>Home<td><img src=b><td>Next</table>', 'Home\n\nNext'],
    ['<table><tr><td><p>a<td><p>b<tr><td><p>c<td>d</table>', '| a | b |\n| --- | --- |\n| c | d |'],
    ['<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>', 'a\n\nb\n\nc\n\nd'],
    [
      '<table><tr><td><p>a<p>b<p>c<td><ul><li>d</ul><tr><td>e<td><ul><li>f</ul></table>',
      'a\n\nb\n\nc\n\n- d\n\ne\n\n- f',
    ],
    [
      '<table><tr><th>k<th>v<tr><td>a<td><pre>x =\n  1</pre><tr><td>b<td>2</table>',
      '| k | v |\n| --- | --- |\n| a | x = 1 |\n| b | 2 |',
    ],
    ['<table><tr><td>a<td><pre>x</pre><tr><td>b<td>2</table>', '| a | x |\n| --- | --- |\n| b | 2 |'],
    [
      '<table><tr><td>a<td><table><tr><td>x<td>y</table><tr><td>b<td>2</table>',
      'a\n\n| x | y |\n| --- | --- |\n\nb\n\n2',
    ],
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
      const before = cpuMs();
      const text = textOf(Array.from({ length: 20_000 }, (_, i) => `${open}w${i} `).join(''));
      expect(text.match(/w\d+/g)?.length, kind).toBe(20_000);
      expect(cpuMs() - before).toBeLessThan(2_500);
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

  const PROSE = 'The tide tables say when a ship may leave, and the wind says whether it should. '.repeat(3);
  const MENU = `<ul>${'<li><a href=x>some place of this site</a></li>'.repeat(40)}</ul>`;

  it.each(['nav', 'header', 'footer', 'aside', 'div role=navigation', 'div role=banner'])(
    'keeps the running text of a page that lies in <%s> because nobody closed it, without its menus',
    (tag) => {
      const page = readHtml(
        `<nav>${MENU}</nav><${tag}><h1>T</h1><p>${PROSE}</p><nav>${MENU}</nav><p>${PROSE}</p><p>${PROSE}`,
      );
      expect(page.text.split('\n\n')).toEqual(['T', PROSE.trim(), PROSE.trim(), PROSE.trim()]);
      expect(page.dropped?.map(({ reason }) => reason)).toEqual(['navigation']);
    },
  );

  it('leaves out a header that is full of links, however short the page is, and calls it navigation', () => {
    const page = readHtml(`<header><h1>Site</h1>${MENU}</header><div><p>Moved elsewhere.</p></div>`);
    expect(page.text).toBe('Moved elsewhere.');
    expect(page.dropped).toEqual([
      { reason: 'header and footer', chars: 4, isText: true },
      { reason: 'navigation', chars: 760, isText: true },
    ]);
  });

  it('leaves out a footer with a notice below a page that says more', () => {
    const page = readHtml(`<p>${PROSE}</p><p>${PROSE}</p><footer><p>${PROSE}</p></footer>`);
    expect(page.text).toBe(`${PROSE.trim()}\n\n${PROSE.trim()}`);
  });

  it('believes what is marked as the main content unless nearly all running text lies elsewhere', () => {
    const [text, card] = [`<p>${PROSE}</p>`.repeat(5), `<main><p>A card.</p></main>`];
    expect(textOf(`${card}${text}<div>${MENU}</div>`)).toContain('tide tables');
    expect(textOf(`${card}<div>${MENU}</div><div>A label.</div>`)).toBe('A card.');
    expect(textOf(`<main>${text}</main>${text}`)).toBe(textOf(text));
  });

  it('counts what it leaves out, by reason', () => {
    const page = readHtml(`<title>T</title><script>let x</script><style>p{}</style><!-- note -->
      <header>site name</header><nav><ul><li>home<li>away</ul></nav>
      <main><p>kept words</p><p hidden>unseen</p><svg><text>pic</text></svg></main>
      <aside>see also</aside><form>search <select><option>all</select></form><p>stray</p><footer>bye</footer>`);
    expect(page.text).toBe('kept words');
    expect(page.dropped).toEqual([
      { reason: 'script', chars: 4, isText: false },
      { reason: 'style', chars: 3, isText: false },
      { reason: 'comment', chars: 4, isText: false },
      { reason: 'hidden', chars: 6, isText: false },
      { reason: 'embedded object', chars: 3, isText: false },
      { reason: 'form', chars: 9, isText: true },
      { reason: 'header and footer', chars: 11, isText: true },
      { reason: 'navigation', chars: 8, isText: true },
      { reason: 'aside', chars: 7, isText: true },
      { reason: 'outside the main content', chars: 5, isText: true },
    ]);
    expect(readHtml('<p>all kept').dropped).toBeUndefined();
  });

  it('accounts for every letter: kept, title, or dropped', () => {
    const tags = [
      'p',
      'nav',
      'main',
      'aside',
      'form',
      'ul',
      'li',
      'table',
      'tr',
      'td',
      'script',
      'title',
      'pre',
      'h2',
    ];
    const piece = fc.oneof(
      fc.constantFrom(...tags).map((tag) => `<${tag}>`),
      fc.constantFrom(...tags).map((tag) => `</${tag}>`),
      fc.constantFrom(' word ', '\n'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const page = readHtml(pieces.join(''));
        const kept = page.text.match(/[a-z]/g)?.length ?? 0;
        const title = /<title>/.test(pieces.join('')) ? (page.title?.match(/[a-z]/g)?.length ?? 0) : 0;
        const dropped = page.dropped?.reduce((sum, { chars }) => sum + chars, 0) ?? 0;
        const all = pieces.filter((one) => one === ' word ').length * 4;
        // A title may hold the tags in it as text; a script too.
        if (!/<(?:title|script)>/.test(pieces.join(''))) expect(kept + title + dropped).toBe(all);
        else expect(kept + title + dropped).toBeGreaterThanOrEqual(all);
      }),
      { numRuns: 300 },
    );
  });

  it('knows the raw line of every word', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<div>',
        '<b>',
        '</b>',
        '<br>',
        '<h2>',
        '</h2>',
        '<ul>',
        '<li>',
        '</ul>',
      ),
      fc.constantFrom(
        '<dl>',
        '<dt>',
        '<dd>',
        '</dl>',
        '<pre>',
        '</pre>',
        '<blockquote>',
        '&amp;',
        '&nbsp;',
        '<hr>',
      ),
      fc.constantFrom('\n', '\r\n', ' ', '\n\n  ', 'W', ' W ', 'W'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        let number = 0;
        const source = pieces.map((one) => one.replace('W', () => `w${number++}x`)).join('');
        const page = readHtml(source);
        const lines = source.split(/\r\n|\n/);
        for (const word of page.text.match(/w\d+x/g) ?? []) {
          // A heading is one line, whatever it takes in the file.
          const heading = blockTexts(page).find(([, text]) => text.includes(word))![0] === 'heading';
          const line = rawLineOf(page, word);
          if (heading) expect(lines.slice(line - 1).join('\n')).toContain(word);
          else expect(lines[line - 1], `${word} in ${JSON.stringify(source)}`).toContain(word);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('knows the raw line of each row of a table', () => {
    const page = readHtml('<table>\n<tr><th>k<th>v\n<tr>\n<td>a\n<td>b\n<tr><td>c<td>d</table>');
    expect(['k', 'a', 'c'].map((word) => rawLineOf(page, `| ${word}`))).toEqual([2, 4, 6]);
  });

  it.each([
    [
      '<table><tr><th rowspan=2>n<th colspan=2>size<tr><th>w<th>h<tr><td>x<td>1<td>2</table>',
      '| n | size | size |\n| --- | --- | --- |\n| n | w | h |\n| x | 1 | 2 |',
    ],
    ['<table><tr><td rowspan=9>a<td>b<tr><td>c</table>', '| a | b |\n| --- | --- |\n| a | c |'],
    ['<table><tr><td colspan=x>a<td colspan=-1>b</table>', '| a | b |\n| --- | --- |'],
    ['<table><tr><td>a<td><table><tr><td>1<td>2</table></table>', 'a\n\n| 1 | 2 |\n| --- | --- |'],
  ])('spreads cells of %s', (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it('does not let spans fill the memory', () => {
    const long = 'long '.repeat(30);
    const text = textOf(`<table>${`<tr><td colspan=9999 rowspan=9999>${long}<td>x`.repeat(300)}</table>`);
    expect(text.length).toBeLessThan(300 * 2000);
    expect(text.match(/long/g)?.length).toBe(300 * 30);
  });

  it.each([
    ['<pre><code class="hljs language-Rust">fn a()</code></pre>', '```rust\nfn a()\n```'],
    ['<pre class="brush: js">x</pre>', '```js\nx\n```'],
    ['<div class="highlight-source-python"><pre>x</pre></div>', 'x'],
    ['<pre data-lang=go>x</pre><pre>y</pre>', '```go\nx\n```\n\ny'],
  ])('names the language of %s', (html, text) => {
    expect(textOf(html)).toBe(text);
  });
});
