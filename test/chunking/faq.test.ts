import { describe, expect, it } from 'vitest';
import { plainOutline } from '../../src/chunking/auto.js';
import { makeDocument } from '../../src/documents/index.js';
import type { DocumentFormat } from '../../src/model/document.js';
import { checkContract, embeddingTexts, slices } from './checks.js';
import { wordTokenizer } from './tokenizers.js';

function faq(
  text: string,
  format: DocumentFormat = 'markdown',
  limitTokens = 120,
  strategy: 'faq' | 'auto' = 'faq',
) {
  const document = makeDocument({ id: 'a', title: 'Help', text, format });
  const chunks = checkContract(document, {
    strategy,
    limitTokens,
    overlapTokens: 5,
    tokenizer: wordTokenizer,
  });
  return { paths: chunks.headingPath, texts: slices(document, chunks), embedded: embeddingTexts(chunks) };
}

describe('questions and answers', () => {
  it.each<[string, DocumentFormat, string]>([
    ['Q and A', 'text', 'Q: How do I pay?\nA: By card.\n\nQ: What is late?\nA: Over 45 minutes.'],
    ['Q and A on one line', 'text', 'Q: How do I pay? A: By card.\nQ: What is late? A: Over 45 minutes.'],
    [
      'bold and numbered',
      'markdown',
      '**Q1.** How do I pay?\n\n**A1.** By card.\n\n**Q2.** What is late?\n\n**A2.** Over 45 minutes.',
    ],
    [
      'words',
      'text',
      'Question: How do I pay?\nAnswer: By card.\nQuestion: What is late?\nAnswer: Over 45 minutes.',
    ],
    ['headings', 'markdown', '## How do I pay?\n\nBy card.\n\n## What is late?\n\nOver 45 minutes.'],
    ['bold lines', 'markdown', '**How do I pay?**\n\nBy card.\n\n**What is late?** Over 45 minutes.'],
    ['list items', 'markdown', '- How do I pay?\n  By card.\n- What is late?\n  - Over 45 minutes.'],
    ['numbers', 'markdown', '1. How do I pay?\n\n   By card.\n\n2. What is late?\n\n   Over 45 minutes.'],
    [
      'definitions',
      'html',
      '<dl><dt>How do I pay?</dt><dd>By card.</dd><dt>What is late?</dt><dd><p>Over</p><p>45 minutes.</p></dd></dl>',
    ],
    [
      'summaries',
      'html',
      '<details><summary>How do I pay?</summary>By card.</details><details><summary>What is late?</summary>Over 45 minutes.</details>',
    ],
  ])('are a chunk each as %s', (_, format, text) => {
    const { paths, texts } = faq(text, format);
    expect(paths).toEqual(['How do I pay?', 'What is late?']);
    expect(texts[0]).toMatch(/How do I pay\?[\s\S]*By card\.$/);
    expect(texts[1]).toMatch(/What is late\?[\s\S]*45 minutes\.$/);
  });

  it('know Chinese marks, and questions over several lines', () => {
    expect(faq('问：怎么付款？\n答：刷卡。\n问：多久算迟？\n答：四十五分钟。', 'text').paths).toEqual([
      '怎么付款？',
      '多久算迟？',
    ]);
    expect(faq('Q: What about\nrain?\nA: It is left out.\n', 'text').paths).toEqual(['What about rain?']);
  });

  it('repeat the question before each further part of a long answer', () => {
    const { embedded, texts } = faq(
      `**How do I pay?**\n\n${'By card or in cash. '.repeat(40)}`,
      'markdown',
      60,
    );
    expect(texts.length).toBeGreaterThan(2);
    for (const text of embedded.slice(1)) expect(text).toMatch(/^Help › How do I pay\?\n/);
  });

  it('end at other headings, and need an answer', () => {
    const list = '- Who answers?\n- When?\n- How long?';
    const { paths, texts } = faq(`Why wait?\n\nNo reason.\n\n## Contact\n\n${list}`);
    expect(paths).toEqual(['Why wait?', 'Contact']);
    expect(texts[1]).toBe(`## Contact\n\n${list}`);
    expect(faq('Is this one?\n\nOr this?\n\nNeither is.').texts).toEqual([
      'Is this one?\n\nOr this?\n\nNeither is.',
    ]);
  });

  it('are found by themselves where a text plainly consists of them', () => {
    const pairs = Array.from({ length: 6 }, (_, i) => `Q: What is ${i}?\nA: A number.`).join('\n\n');
    expect(faq(pairs, 'text', 120, 'auto').paths).toHaveLength(6);
    expect(
      faq(`${'An essay. '.repeat(200)}\n\n${pairs}`, 'text', 400, 'auto').paths.every((path) => path === ''),
    ).toBe(true);
    const rhetoric = Array.from({ length: 6 }, () => 'Who knew?\n\nNobody did, of course.').join('\n\n');
    expect(faq(rhetoric, 'text', 120, 'auto').paths).toEqual(['']);
  });

  it('are no questions between tasks that are longer than any answer', () => {
    const outlined = (answer: string) =>
      plainOutline(
        makeDocument({
          id: 'a',
          text: Array.from({ length: 6 }, () => `- What of this?\n\n${answer}`).join('\n\n'),
        }),
      );
    expect(outlined('Do this, then that. '.repeat(700))).toBeUndefined();
    expect(outlined('Do this, then that. '.repeat(100))).toBeDefined();
  });
});
