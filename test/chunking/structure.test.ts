import { describe, expect, it } from 'vitest';
import { BlockKind } from '../../src/model/document.js';
import { checkContract, embeddingTexts, slices } from './checks.js';
import { makeDocument, markdown } from './fixtures.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, i) => `${word}${i % 10}`).join(' ');

function structure(text: string, limitTokens: number, overlapTokens = 0, title = '') {
  const document = markdown(text, title);
  for (const tokenizer of [byteTokenizer, wordTokenizer]) {
    checkContract(document, { strategy: 'structure', limitTokens, overlapTokens, tokenizer });
  }
  const chunks = checkContract(document, {
    strategy: 'structure',
    limitTokens,
    overlapTokens,
    tokenizer: wordTokenizer,
  });
  return { document, chunks, texts: slices(document, chunks), embedded: embeddingTexts(chunks) };
}

describe('sections', () => {
  it('share no chunk', () => {
    const { texts, chunks } = structure(
      `# A\n\n${words(20)}\n\n## B\n\n${words(20)}\n\n# C\n\n${words(20)}\n`,
      60,
    );
    expect(texts.map((text) => text.split('\n')[0])).toEqual(['# A', '## B', '# C']);
    expect(chunks.headingPath).toEqual(['A', 'A › B', 'C']);
    expect([...chunks.startLine]).toEqual([1, 5, 9]);
  });

  it('that are tiny are merged with what follows under the same parent, if it fits', () => {
    const { texts, chunks } = structure(
      `# A\n\nShort.\n\n## B\n\n${words(30)}\n\n## C\n\nTiny.\n\n## D\n\nTiny too.\n\n# E\n\nEnd.`,
      100,
    );
    expect(texts.map((text) => text.match(/^#+ \w/gm))).toEqual([['# A', '## B'], ['## C', '## D'], ['# E']]);
    expect(chunks.headingPath).toEqual(['A', 'A', 'E']);
  });

  it('never leave a heading alone if text follows', () => {
    const { texts, chunks } = structure(`# A\n\n## B\n\n### C\n\n${words(120)}`, 60);
    expect(texts[0]).toMatch(/^# A\n\n## B\n\n### C\n\nword0/);
    expect(chunks.headingPath.every((path) => path === 'A › B › C')).toBe(true);
    const empty = structure(`# Empty\n\n# Full\n\n${words(100)}\n\n# Last`, 60);
    expect(empty.texts[0]).toMatch(/^# Empty\n\n# Full\n\nword0/);
    expect(empty.texts.at(-1)).toBe('# Last');
    expect(structure('# Only', 60).texts).toEqual(['# Only']);
  });

  it('that are only a heading are not parted from what follows by a tiny one before', () => {
    const { texts } = structure(`# A\n\nTiny.\n\n# B\n\n## C\n\n${words(90)}`, 60);
    expect(texts[0]).toBe('# A\n\nTiny.');
    expect(texts[1]).toMatch(/^# B\n\n## C\n\nword0/);
  });

  it('with several headings in one section end no chunk with a heading', () => {
    const body = words(40);
    const text = `Head one\n\n${body}\n\nHead two\n\n${body}`;
    const block = (found: string, kind: BlockKind, from = 0) => {
      const start = text.indexOf(found, from);
      return { start, end: start + found.length, kind, section: 0 };
    };
    const { heading, prose } = BlockKind;
    const [first, second] = [block(body, prose), block(body, prose, text.indexOf('Head two'))];
    const document = makeDocument(
      text,
      [],
      [block('Head one', heading), first, block('Head two', heading), second],
    );
    const options = { strategy: 'structure', limitTokens: 90, tokenizer: wordTokenizer } as const;
    const texts = slices(document, checkContract(document, options));
    expect(texts).toEqual([`Head one\n\n${body}`, `Head two\n\n${body}`]);
  });

  it('keep a paragraph whole that fits', () => {
    const { texts } = structure(`# A\n\n${words(10)}.\n\n${words(55)}.`, 120);
    expect(texts).toEqual([`# A\n\n${words(10)}.`, `${words(55)}.`]);
  });

  it('over the limit are cut at paragraphs, with the overlap in prose', () => {
    const paragraphs = Array.from({ length: 6 }, (_, i) => `Paragraph ${i} says. ${words(10)}.`);
    const { chunks, texts } = structure(`# A\n\n${paragraphs.join('\n\n')}`, 70, 5);
    expect(texts.length).toBeGreaterThan(2);
    for (let i = 1; i < texts.length; i++) expect(chunks.start[i]).toBeLessThan(chunks.end[i - 1]!);
    const separate = structure(`# A\n\n${paragraphs.join('\n\n')}`, 70, 0);
    for (const text of separate.texts.slice(1)) expect(text).toMatch(/^Paragraph \d/);
  });

  it('lose nothing to a fence that is never closed (C1)', () => {
    const text = '# Start\n\nA line of prose.\n\n```js\ncode();\n\n## Later part\n\nA sentence.';
    expect(structure(text, 100).texts.join('\n')).toContain('## Later part\n\nA sentence.');
    expect(structure(text, 6).texts.join('\n')).toContain('A sentence.');
  });

  it('keep front matter out, unless there is nothing else', () => {
    const front = '---\ntitle: x\ntags: [a]\n---';
    expect(structure(`${front}\n\n# A\n\nText.`, 50).texts).toEqual(['# A\n\nText.']);
    const only = structure(`${front}\n`, 50);
    expect(only.texts).toEqual([front]);
    expect([...only.chunks.kind]).toEqual([BlockKind.frontMatter]);
  });
});

describe('markup between blocks', () => {
  const badges = '[![a](b)](c) '.repeat(4).trim();
  /** The document without the blocks that are badges. */
  const bare = (text: string) => {
    const document = markdown(text);
    const { start, end, kind, section } = document.blocks;
    const kept = [...start.keys()].filter((row) => !text.slice(start[row], end[row]).startsWith('[!['));
    const pick = (column: ArrayLike<number>) => kept.map((row) => column[row]!);
    const blocks = {
      start: Uint32Array.from(pick(start)),
      end: Uint32Array.from(pick(end)),
      kind: Uint8Array.from(pick(kind)),
      section: Uint32Array.from(pick(section)),
    };
    return { ...document, blocks };
  };
  const cut = (text: string, limitTokens: number, overlapTokens = 0) => {
    const document = bare(text);
    const options = { strategy: 'structure', limitTokens, overlapTokens, tokenizer: wordTokenizer } as const;
    return slices(document, checkContract(document, options));
  };

  it('is no chunk of its own where it fits into a neighbour', () => {
    expect(cut(`${badges}\n\n# A\n\n${words(10)}`, 100)).toHaveLength(1);
    expect(cut(`# A\n\n${words(10)}\n\n${badges}`, 100)).toHaveLength(1);
    const [first, second] = cut(`# A\n\n${words(10)}\n\n# B\n\n${badges}\n\n${words(30)}`, 120);
    expect(first).toBe(`# A\n\n${words(10)}`);
    expect(second).toMatch(/^# B\n\n\[!\[a\][\s\S]*word9$/);
  });

  it('makes no tiny section large', () => {
    const sections = `# Top\n\n## A\n\n${badges}\n\nShort.\n\n## B\n\nShort, too.`;
    expect(cut(sections, 80)).toEqual([sections]);
  });

  it('is not shared as overlap', () => {
    const text = `# A\n\n${words(20)}\n\n${badges}\n\n${words(60)}`;
    const texts = cut(text, 100, 10);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.filter((one) => one.includes('[!['))).toHaveLength(1);
  });
});

describe('tables', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `| r${i} | a b | c d | ${i} |`);
  const separator = '|---|:--|--:|---|';

  it('are cut between rows only, and every part repeats the head (C13)', () => {
    const head = '| id | one | two | n |';
    const { texts, embedded, chunks } = structure([head, separator, ...rows(80)].join('\n'), 300);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.join('\n').split('\n')).toEqual([head, separator, ...rows(80)]);
    for (const text of embedded) expect(text.startsWith(`${head}\n${separator}\n| r`)).toBe(true);
    for (const text of texts.slice(1)) expect(text).toMatch(/^\| r\d+ /);
    expect([...chunks.kind].every((kind) => kind === BlockKind.table)).toBe(true);
    expect(chunks.startLine[1]).toBe(chunks.endLine[0]! + 1);
  });

  it('repeat both rows of a double head, and the caption only once (C13)', () => {
    const head = ['| id | one | | n |', '|    | x | y |   |'];
    const { embedded } = structure(['Table 1. Results', '', ...head, separator, ...rows(80)].join('\n'), 300);
    expect(embedded[0]!.startsWith('Table 1. Results\n\n| id')).toBe(true);
    for (const text of embedded.slice(1))
      expect(text.startsWith(`${head.join('\n')}\n${separator}\n| r`)).toBe(true);
  });

  it('with one row over the limit hold the limit all the same (C7)', () => {
    const wide = `| ${words(200)} | x |`;
    const { embedded } = structure(['| a | b |', '|---|---|', wide, '| c | d |'].join('\n'), 60, 20);
    expect(embedded.length).toBeGreaterThan(5);
    expect(embedded.at(-1)).toBe('| a | b |\n|---|---|\n| c | d |');
  });

  it('do not repeat a head that would fill the chunk', () => {
    const { embedded } = structure([`| ${words(40)} |`, '|---|', ...rows(10)].join('\n'), 60);
    expect(embedded.at(-1)).toMatch(/^\| r/);
  });
});

describe('code', () => {
  it('is cut between lines, after blank ones if possible, and repeats the fence', () => {
    const functions = Array.from({ length: 12 }, (_, i) => `function f${i}() {\n\treturn ${i};\n}\n`);
    const { texts, embedded, chunks } = structure(['# A', '', '```ts', ...functions, '```'].join('\n'), 60);
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts.slice(1)) expect(text).toMatch(/^function f\d+\(\) \{\n\treturn/);
    for (const text of embedded.slice(1)) expect(text).toContain('```ts\nfunction');
    expect(texts.at(-1)).toMatch(/\n```$/);
    expect(chunks.kind.every((kind) => kind === BlockKind.code)).toBe(true);
  });

  it('keeps indentation at the start of a part (C3)', () => {
    const yaml = ['```yaml', 'root:', ...Array.from({ length: 40 }, (_, i) => `  key${i}: value`), '```'];
    const { texts } = structure(yaml.join('\n'), 60);
    for (const text of texts.slice(1)) expect(text).toMatch(/^ {2}key\d+: value/);
  });
});

describe('lists', () => {
  it('are cut between items, outer ones if possible', () => {
    const items = Array.from(
      { length: 20 },
      (_, i) => `- item ${i} with words\n  and a second line\n  - inner item`,
    );
    const { texts } = structure(items.join('\n'), 80);
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) expect(text).toMatch(/^- item/);
  });
});

describe('the embedding text', () => {
  it('begins with title and headings, unless the chunk says them itself', () => {
    const { embedded } = structure(`# Guide\n\n${words(30)}\n\n## Set up\n\n${words(80)}`, 80, 0, 'Guide');
    expect(embedded[0]).toMatch(/^# Guide\n\nword0/);
    expect(embedded[1]).toMatch(/^Guide\n## Set up\n\nword0/);
    expect(embedded[2]).toMatch(/^Guide › Set up\nword\d/);
  });
});
