import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../src/documents/markdown.js';
import { blockTexts, expectSound } from './structure.js';

const metadataOf = (yaml: string) => readMarkdown(`---\n${yaml}\n---\ntext\n`).metadata;

describe('front matter', () => {
  it.each([
    ['a: 1\nb: [x, 2.5, null, true]', { a: 1, b: ['x', 2.5, null, true] }],
    ['d: 2024-1-5', { d: '2024-01-05' }],
    ['d: 2024-01-05 10:00:00 +0200', { d: '2024-01-05T08:00:00.000Z' }],
    ['d: 2024-01-05T10:00:00', { d: '2024-01-05T10:00:00.000Z' }],
    ['d: 2024-99-05T10:00:00Z', { d: '2024-99-05T10:00:00Z' }],
    ['d: "2024-01-05 10:00:00"', { d: '2024-01-05 10:00:00' }],
    ['n: .nan\ni: .inf', { n: null, i: null }],
    ['a: 1\na: 2', { a: 2 }],
    ['1: one\ntrue: yes', { 1: 'one', true: 'yes' }],
    ['a: {b: {c: d}}', { a: { b: { c: 'd' } } }],
    ['# only a comment', {}],
  ])('reads %j', (yaml, metadata) => {
    expect(metadataOf(yaml)).toEqual(metadata);
  });

  it('gives a key __proto__ no power', () => {
    const metadata = metadataOf('__proto__: {polluted: 1}');
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    'a: [1',
    'a: *unknown',
    `a: ${'['.repeat(20000)}`,
    `a: ${'[x,'.repeat(100)}${']'.repeat(100)}`,
    '\tb: 1',
  ])('keeps broken YAML as text (%#)', (yaml) => {
    const page = readMarkdown(`---\n${yaml}\n---\n\n# Title\n`);
    expectSound(page);
    expect(page.metadata).toEqual({});
    expect(page.title).toBe('Title');
    expect(blockTexts(page)[0]).toEqual(['prose', `---\n${yaml}\n---`]);
  });

  it('keeps an alias bomb as text', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    expect(metadataOf(['l0: &l0 [x]', ...levels].join('\n'))).toEqual({});
  });

  it('reads TOML', () => {
    const toml =
      'title = "x"\r\ndate = 2024-01-05\nat = 2024-01-05T10:00:00+02:00\nlocal = 2024-01-05T10:00:00\ntime = 10:30:00\nn = 9007199254740993\n[a.b]\nc = [1, 2.5, nan]';
    const page = readMarkdown(`+++\n${toml}\n+++\nbody`);
    expectSound(page);
    expect(page.title).toBe('x');
    expect(page.metadata).toEqual({
      title: 'x',
      date: '2024-01-05',
      at: '2024-01-05T08:00:00.000Z',
      local: '2024-01-05T10:00:00.000Z',
      time: '10:30:00.000',
      n: '9007199254740993',
      a: { b: { c: [1, 2.5, null] } },
    });
    expect(blockTexts(page)).toEqual([
      ['frontMatter', `+++\n${toml}\n+++`],
      ['prose', 'body'],
    ]);
    expect(blockTexts(readMarkdown('+++\ntitle = \n+++\nbody'))).toEqual([
      ['prose', '+++\ntitle = \n+++'],
      ['prose', 'body'],
    ]);
  });

  it('reads JSON', () => {
    const page = readMarkdown('{\n  "title": "x",\n  "tags": ["a"]\n}\n\nbody');
    expectSound(page);
    expect(page).toMatchObject({ title: 'x', metadata: { title: 'x', tags: ['a'] } });
    expect(blockTexts(page)).toEqual([
      ['frontMatter', '{\n  "title": "x",\n  "tags": ["a"]\n}'],
      ['prose', 'body'],
    ]);
  });

  it.each(['{% include x %}\ntext\n}', '{ broken\n}\ntext', '{"a": 1} text', '{{< x >}}'])(
    'takes %j for text',
    (text) => {
      const page = readMarkdown(text);
      expectSound(page);
      expect(page.metadata).toEqual({});
      expect(blockTexts(page).map(([kind]) => kind)).not.toContain('frontMatter');
    },
  );

  it.each([
    '---\nnever closed\n',
    ' ---\na: 1\n---\n',
    '---\njust words\n---\n',
    '\n---\na: 1\n---\n',
    '---',
  ])('is not there in %j', (source) => {
    const page = readMarkdown(source);
    expect(page.metadata).toEqual({});
    expect(blockTexts(page).map(([kind]) => kind)).not.toContain('frontMatter');
  });

  it('ends at three dots too', () => {
    expect(readMarkdown('---\na: 1\n...\n---\n').metadata).toEqual({ a: 1 });
  });
});
