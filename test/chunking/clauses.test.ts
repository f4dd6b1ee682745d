import { describe, expect, it } from 'vitest';
import { makeDocument } from '../../src/documents/index.js';
import type { DocumentFormat } from '../../src/model/document.js';
import { checkContract, embeddingTexts, slices } from './checks.js';
import { wordTokenizer } from './tokenizers.js';

function clauses(
  text: string,
  limitTokens = 120,
  format: DocumentFormat = 'text',
  strategy: 'clauses' | 'auto' = 'clauses',
) {
  const document = makeDocument({ id: 'a', title: 'Deed', text, format });
  const chunks = checkContract(document, {
    strategy,
    limitTokens,
    overlapTokens: 5,
    tokenizer: wordTokenizer,
  });
  return { paths: chunks.headingPath, texts: slices(document, chunks), embedded: embeddingTexts(chunks) };
}

const LEASE = `LEASE

This lease binds the parties and their heirs.

ARTICLE I DEFINITIONS

1.1 Premises. The premises are the two floors above the bakery.

1.2 Rent. The rent is the sum named in Schedule 1.

ARTICLE II TERM

2.1 The term shall begin on the first of March and end after five years, unless it is ended
sooner under Section 2.2 of this lease.

2.2 Renewal. The tenant may renew once, if:
(a) no rent is in arrears;
(b) notice was given
    (i) in writing, and
    (ii) six months before the end; and
(c) the landlord agrees.

2.2.1 The notice is sent by registered mail.

Schedule 1

1. The rent is 900 a month.
2. It rises by two percent a year.
`;

describe('clauses', () => {
  it('are chunks that carry the path of their numbers', () => {
    const { paths, texts, embedded } = clauses(LEASE);
    expect(paths).toEqual([
      '',
      'ARTICLE I DEFINITIONS › 1.1 Premises',
      'ARTICLE I DEFINITIONS › 1.2 Rent',
      'ARTICLE II TERM › 2.1',
      'ARTICLE II TERM › 2.2 Renewal',
      'ARTICLE II TERM › 2.2 Renewal › 2.2.1',
      'Schedule 1 › 1',
      'Schedule 1 › 2',
    ]);
    // A reference to a clause is none, though it stands at the beginning of a line.
    expect(texts[3]).toMatch(/under Section 2\.2 of this lease\.$/);
    expect(texts[4]).toMatch(/^2\.2 Renewal[\s\S]*landlord agrees\.$/);
    expect(embedded[5]).toMatch(/^Deed › ARTICLE II TERM › 2\.2 Renewal\n2\.2\.1 The notice/);
  });

  it('over the limit are cut between their items, with the path of the item', () => {
    const items = ['a', 'b', 'c'].map((letter) => `(${letter}) ${'some more words '.repeat(12).trim()};`);
    const { paths, texts } = clauses(`5.1 Duties. The carrier shall:\n${items.join('\n')}\n`, 80);
    expect(paths).toEqual(['5.1 Duties', '5.1 Duties › (b)', '5.1 Duties › (c)']);
    expect(texts[0]).toMatch(/^5\.1 Duties\. The carrier shall:\n\(a\)/);
  });

  it('know (i) as a letter behind (h), and as a numeral elsewhere', () => {
    const letters = 'abcdefghij'.split('').map((letter) => `(${letter}) ${'word '.repeat(50)}.`);
    const { paths } = clauses(`1.1 List:\n${letters.join('\n')}`, 80);
    expect(paths.at(-2)).toBe('1.1 › (i)');
    const nested = clauses(
      `1.1 List:\n(a) ${'word '.repeat(50)}:\n(i) ${'word '.repeat(50)};\n(ii) ${'word '.repeat(50)}.`,
      80,
    );
    expect(nested.paths).toEqual(['1.1', '1.1 › (a) › (i)', '1.1 › (a) › (ii)']);
    const joined = clauses(`1.1 List:\n(a)(i) ${'word '.repeat(50)};\n(ii) ${'word '.repeat(50)}.`, 80);
    expect(joined.paths).toEqual(['1.1', '1.1 › (a) › (ii)']);
  });

  it.each([
    [
      '§ 12 Fristen\n\n(1) Die Frist beginnt am Tag.\n\n§ 13 Form\n\n(1) Es gilt die Schriftform.',
      ['§ 12 Fristen › (1)', '§ 13 Form › (1)'],
    ],
    ['§ 12 (3) Die Frist endet.\n\n§ 12 (4) Sie ruht.', ['§ 12 (3)', '§ 12 (4)']],
    ['Article 5\n\nScope of this law.\n\nArticle 6\n\nIts end.', ['Article 5', 'Article 6']],
    [
      'Section 3. Notices. By mail only.\n\nSection 4. Costs. Each bears its own.',
      ['Section 3 Notices', 'Section 4 Costs'],
    ],
    ['1.1.1. First of all.\n\n1.1.2. Second of all.', ['1.1.1', '1.1.2']],
    [
      '第一章 总则\n\n第一条 为了规范合同，制定本法。\n\n第二条 本法适用于合同。\n\n第二章 合同\n\n第三条 当事人应当守信。',
      ['第一章 总则 › 第一条', '第一章 总则 › 第二条', '第二章 合同 › 第三条'],
    ],
  ])('read %j', (text, paths) => {
    expect(clauses(text).paths).toEqual(paths);
  });

  it('lie below the headings of the document', () => {
    const text =
      '# Terms\n\n## Payment\n\n4.1 Due in **30** days.\n\n4.2 By transfer.\n\n## Ending\n\n5.1 By letter.\n\nSee also the annex.';
    const { paths, texts } = clauses(text, 120, 'markdown');
    expect(paths).toEqual(['Terms › Payment › 4.1', 'Terms › Payment › 4.2', 'Terms › Ending › 5.1']);
    expect(texts.at(-1)).toMatch(/annex\.$/);
  });

  it('are no numbers that fall, no lines of a table of contents, and no wrapped references', () => {
    const text =
      '1.1 Scope ........ 3\n1.2 Term ........ 4\n\n2.1 This is a clause that says something. As said in\n1.1 above, it holds.\n\n1.4 is no clause behind 2.1.';
    expect(clauses(text).paths).toEqual(['', '2.1']);
  });

  const CONTENTS = '1. Scope\n  1.1 Area\n  1.2 Persons\n2. Term\n  2.1 Begin\n  2.2 End';
  const BODY =
    '1. Scope\n\n1.1 The area is the city.\n\n1.2 All persons count.\n\n2. Term\n\n2.1 It begins now.\n\n2.2 It ends later.';
  const BODY_PATHS = ['1 Scope › 1.1', '1 Scope › 1.2', '2 Term › 2.1', '2 Term › 2.2'];

  it.each([
    ['one block', CONTENTS],
    ['with a rule below', `${CONTENTS}\n==========`],
    ['lines apart', CONTENTS.replace(/\n */g, '\n\n')],
    ['with a part that has no number', CONTENTS.replace('2. Term', 'Other parts\n2. Term')],
  ])('are not the lines of a table of contents before them: %s', (_, contents) => {
    const { paths, texts } = clauses(`Statute of things\n\n${contents}\n\n${BODY}`);
    expect(paths).toEqual(['', ...BODY_PATHS]);
    expect(texts[0]).toContain('2.2 End');
  });

  it('are headings of several levels too, and titles that come twice because two texts do', () => {
    expect(clauses(BODY).paths).toEqual(BODY_PATHS);
    expect(clauses(`${BODY}\n\n${BODY}`).paths).toEqual([...BODY_PATHS, ...BODY_PATHS]);
  });

  it('are not what a table of contents consists of, nor numbers whose beginning is missing', () => {
    const contents = Array.from(
      { length: 30 },
      (_, i) => `${1 + Math.floor(i / 5)}.${1 + (i % 5)} Part ${i}`,
    );
    for (const format of ['text', 'markdown', 'html'] as const) {
      const lines = format === 'html' ? contents.map((line) => `<li>${line}`) : contents;
      const list = format === 'markdown' ? lines.map((line) => `- ${line}`) : lines;
      const { paths } = clauses(list.join('\n'), 60, format, 'auto');
      expect(paths.every((path) => path === '')).toBe(true);
    }
    const said = contents.map((line) => `${line}. It says this and that of it.`);
    expect(clauses(said.join('\n'), 60, 'text', 'auto').paths).toContain('1.1 Part 0');
    const late = clauses(said.slice(15).join('\n'), 60, 'text', 'auto').paths;
    expect(late.every((path) => path === '')).toBe(true);
    // As the rest of a law is quoted: its articles say that they are.
    const articles = said.slice(15).map((line, i) => `Article ${i + 16}. ${line.slice(4)}`);
    expect(clauses(articles.join('\n'), 60, 'text', 'auto').paths).toContain('Article 16 Part 15');
  });

  it('begin anew where another text stands behind, but not in a list within a clause', () => {
    const licence = '1. Use it.\n\n2. Share it:\n\n   1. whole\n\n   2. or not.\n\n3. No warranty.';
    const { paths } = clauses(`${licence}\n\n${licence}`);
    expect(paths).toEqual(['1', '2', '3', '1', '2', '3']);
  });

  it('are found by themselves where a text plainly consists of them', () => {
    expect(clauses(LEASE, 120, 'text', 'auto').paths).toEqual(clauses(LEASE).paths);
    const essay = `${'An essay says much. '.repeat(60)}\n\n1.1 One.\n\n1.2 Two.\n\n1.3 Three.\n\n1.4 Four.\n\n1.5 Five.`;
    expect(clauses(essay, 120, 'text', 'auto').paths.every((path) => path === '')).toBe(true);
    const steps = Array.from({ length: 9 }, (_, i) => `${i + 1}. Do step ${i}.`).join('\n');
    expect(clauses(steps, 120, 'markdown', 'auto').paths).toEqual(['']);
  });
});
